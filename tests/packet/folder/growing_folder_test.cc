// What becomes of the files of a round when some of them go or change before they are read: of each only what happened
// to itself, whatever the others are called.
#include "packet/folder/growing_folder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>

#include "support/chunks.h"
#include "support/pcap_file.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using Fates = std::map<std::string, Fate>;

class GrowingFolderTest : public testing::Test {
 protected:
  void write(const std::string& name, std::uint32_t first_second, int packets) const {
    test::PcapFile file;
    for (int i = 0; i < packets; ++i) file.record(first_second, 0, {1});
    scratch_.write(name, file.data());
  }

  // With the files that are there.
  void begin() {
    const GrowingFolderOptions options{.warn = [this](const std::string& line) { told_.push_back(line); },
                                       .most_bytes_of_round = kMostBytes};
    folder_ = std::make_unique<GrowingFolder>(scratch_.path(), options, stop_);
    folder_->pause_when([] { return false; });
  }

  // The whole round.
  void read(FolderRound& round) {
    test::Committer committer(*round.trace);
    test::read_ahead(*round.trace, {}, 1, committer);
    folder_->claimed(round, true);
  }

  // Of the rounds that are over.
  Fates fates() {
    Fates fates;
    for (const SeenFile& file : folder_->take_done()) fates[file.name] = file.fate;
    return fates;
  }

  static constexpr std::uint64_t kMostBytes = 1000;  // of a round

  const test::ScratchFolder scratch_{test::folder_in_memory()};
  const std::atomic<bool> stop_ = false;
  std::vector<std::string> told_;
  std::unique_ptr<GrowingFolder> folder_;
};

TEST_F(GrowingFolderTest, FileThatIsGoneBeforeItsRoundLeavesTheOthers) {
  write("first", 10, 100);  // a round of its own
  write("a", 20, 1);
  write("a: b", 30, 1);
  begin();
  const auto first = folder_->next_round();
  ASSERT_TRUE(first);
  ASSERT_EQ(first->files.size(), 1U);
  read(*first);
  EXPECT_EQ(fates(), Fates({{"first", Fate::whole}}));
  fs::remove(scratch_.file("a: b"));
  const auto second = folder_->next_round();
  ASSERT_TRUE(second);
  ASSERT_EQ(second->files.size(), 2U);
  read(*second);
  EXPECT_EQ(fates(), Fates({{"a", Fate::whole}}));
  EXPECT_EQ(told_, std::vector<std::string>{scratch_.file("a: b") + ": No such file or directory"});
}

// As tcpdump -z does it: what a file was packed to is there before the file is gone.
TEST_F(GrowingFolderTest, FileThatIsPackedBeforeItIsReadIsNotMissed) {
  write("first", 10, 100);  // a round of its own
  write("a", 20, 1);
  write("b", 30, 1);
  begin();
  read(*folder_->next_round());
  fs::copy(scratch_.file("b"), scratch_.file("b.gz"));
  fs::remove(scratch_.file("b"));
  read(*folder_->next_round());
  folder_->wait(std::chrono::milliseconds(0));
  read(*folder_->next_round());
  EXPECT_EQ(fates(), Fates({{"first", Fate::whole}, {"a", Fate::whole}, {"b.gz", Fate::whole}}));
  EXPECT_EQ(told_, std::vector<std::string>{});
}

TEST_F(GrowingFolderTest, FilesThatAreGoneOrOtherOnesByTheTimeTheyAreOpened) {
  write("a", 20, 1);
  write("a: b", 30, 1);
  write("c", 40, 1);
  write("d", 50, 1);
  begin();
  const auto round = folder_->next_round();
  ASSERT_TRUE(round);
  ASSERT_EQ(round->files.size(), 4U);
  fs::remove(scratch_.file("a: b"));
  scratch_.write("c", test::Bytes(100, 'x'));
  read(*round);
  EXPECT_EQ(fates(), Fates({{"a", Fate::whole}, {"c", Fate::damaged}, {"d", Fate::whole}}));
  EXPECT_EQ(told_.size(), 2U);
}

}  // namespace
}  // namespace warpmeter
