// Which files of a folder are complete: those that nobody writes to any more, whatever way they came.
#include "packet/folder/capture_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

class CaptureFolderTest : public testing::Test {
 protected:
  // A file that somebody has open to write to it.
  std::ofstream open(const std::string& name) const {
    std::ofstream file(scratch_.file(name), std::ios::binary);
    file << "some" << std::flush;
    return file;
  }
  void write(const std::string& name) const { open(name).close(); }
  CaptureFolder& folder() {
    if (!folder_) folder_.emplace(scratch_.path(), [](const std::string& name) { return name == "ours"; });
    return *folder_;
  }
  Names complete() {
    while (folder().look(std::chrono::milliseconds(0))) continue;
    return folder().take_complete();
  }
  bool has_leases() const {
    write("lease");
    folder_fd_ = ::open(scratch_.path().c_str(), O_RDONLY);
    const bool has = writers_of(folder_fd_, "lease") != Writers::unknown;
    close(folder_fd_);
    fs::remove(scratch_.file("lease"));
    return has;
  }

  const test::ScratchFolder scratch_{test::folder_in_memory()};
  std::optional<CaptureFolder> folder_;
  mutable int folder_fd_ = -1;
};

TEST_F(CaptureFolderTest, AFileIsCompleteWhenItIsClosed) {
  folder();
  std::ofstream file = open("a");
  EXPECT_EQ(complete(), Names());
  EXPECT_EQ(folder().being_written(), 1U);
  file << "more" << std::flush;
  EXPECT_EQ(complete(), Names());
  file.close();
  EXPECT_EQ(complete(), Names({"a"}));
  EXPECT_EQ(complete(), Names());
  EXPECT_EQ(folder().being_written(), 0U);
}

TEST_F(CaptureFolderTest, WhatWasThereIsCompleteUnlessItIsBeingWritten) {
  if (!has_leases()) GTEST_SKIP() << "a temporary folder on a file system with leases runs this";
  std::ofstream file = open("b");
  write("a");
  write("c");
  EXPECT_EQ(complete(), Names({"a", "c"}));
  file.close();
  EXPECT_EQ(complete(), Names({"b"}));
}

TEST_F(CaptureFolderTest, OneOfTwoWritersIsNotEnough) {
  if (!has_leases()) GTEST_SKIP() << "a temporary folder on a file system with leases runs this";
  folder();
  std::ofstream first = open("a");
  std::ofstream second(scratch_.file("a"), std::ios::app);
  second << "more" << std::flush;
  first.close();
  EXPECT_EQ(complete(), Names());
  second.close();
  EXPECT_EQ(complete(), Names({"a"}));
}

TEST_F(CaptureFolderTest, ARenamedFileIsComplete) {
  folder();
  write("a.pcap.part");
  write(".b.pcap");
  write("c.pcap~");
  write("d.TMP.tmp");
  EXPECT_EQ(complete(), Names());
  fs::rename(scratch_.file("a.pcap.part"), scratch_.file("a.pcap"));
  fs::rename(scratch_.file(".b.pcap"), scratch_.file("b.pcap"));
  EXPECT_EQ(complete(), Names({"a.pcap", "b.pcap"}));
}

TEST_F(CaptureFolderTest, LinksFromElsewhereAreComplete) {
  if (!has_leases()) GTEST_SKIP() << "a temporary folder on a file system with leases runs this";
  const test::ScratchFolder other(test::folder_in_memory());
  test::write_file(other.file("a"), std::string("some"));
  folder();
  fs::create_symlink(other.file("a"), scratch_.file("symbolic"));
  fs::create_hard_link(other.file("a"), scratch_.file("hard"));
  EXPECT_EQ(complete(), Names({"hard", "symbolic"}));
}

TEST_F(CaptureFolderTest, WhatLeavesBeforeItIsTakenIsNotComplete) {
  folder();
  write("a");
  write("b");
  fs::remove(scratch_.file("a"));
  const std::ofstream file = open("c");
  fs::rename(scratch_.file("c"), scratch_.path() + "-c");
  EXPECT_EQ(complete(), Names({"b"}));
  EXPECT_EQ(folder().being_written(), 0U);
  fs::remove(scratch_.path() + "-c");
}

TEST_F(CaptureFolderTest, FoldersAndOursArePassedOver) {
  fs::create_directory(scratch_.file("below"));
  write("ours");
  folder();
  fs::create_directory(scratch_.file("below too"));
  write("below/a");
  write("ours");
  EXPECT_EQ(complete(), Names());
  EXPECT_EQ(folder().folders_below(), 1U);
}

// More happens than the kernel keeps: all is found by looking.
TEST_F(CaptureFolderTest, NothingIsLostWhenEventsAre) {
  std::size_t most = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> most;
  if (most == 0 || most > 100'000) GTEST_SKIP() << "fs.inotify.max_queued_events of 100,000 or less runs this";
  folder();
  write("early");
  for (const char* const name : {"again0", "again1"}) write(name);
  const std::string names[] = {scratch_.file("again0"), scratch_.file("again1")};
  for (std::size_t i = 0; i <= most; ++i) ::close(::open(names[i % 2].c_str(), O_WRONLY));  // an event each
  write("late");
  EXPECT_EQ(complete(), Names({"again0", "again1", "early", "late"}));
}

// Nothing tells that those are closed: all are looked at, though a few at a time.
TEST_F(CaptureFolderTest, OfManyThatAreOpenElsewhereAllAreFoundClosed) {
  if (!has_leases()) GTEST_SKIP() << "a temporary folder on a file system with leases runs this";
  constexpr std::size_t kFiles = 600;
  const test::ScratchFolder other(test::folder_in_memory());
  std::vector<std::ofstream> open;
  folder();
  for (std::size_t i = 0; i < kFiles; ++i) {
    const std::string name = std::to_string(i);
    open.emplace_back(other.file(name)) << "some" << std::flush;
    fs::create_hard_link(other.file(name), scratch_.file(name));
  }
  EXPECT_EQ(complete(), Names());
  EXPECT_EQ(folder().being_written(), kFiles);
  open.clear();
  write("later");
  std::size_t found = 0;
  for (int looks = 0; looks < 10; ++looks) found += complete().size();
  EXPECT_EQ(found, kFiles + 1);
  EXPECT_EQ(folder().being_written(), 0U);
}

TEST_F(CaptureFolderTest, AFolderThatIsGone) {
  folder();
  write("a");
  EXPECT_FALSE(folder().is_gone());
  const std::string elsewhere = scratch_.path() + "-moved";
  fs::rename(scratch_.path(), elsewhere);
  EXPECT_EQ(complete(), Names({"a"}));
  EXPECT_TRUE(folder().is_gone());
  fs::remove_all(elsewhere);
}

TEST_F(CaptureFolderTest, AFolderThatIsRemoved) {
  folder();
  write("a");
  EXPECT_EQ(complete(), Names({"a"}));
  EXPECT_FALSE(folder().is_gone());
  fs::remove_all(scratch_.path());
  EXPECT_EQ(complete(), Names());
  EXPECT_TRUE(folder().is_gone());
}

TEST_F(CaptureFolderTest, ThereIsNoSuchFolder) {
  write("a");
  const auto open_folder = [](const std::string& path) {
    CaptureFolder folder(path, [](const auto&) { return false; });
  };
  EXPECT_EQ(test::thrown_text([&] { open_folder(scratch_.file("none")); }),
            scratch_.file("none") + ": cannot be watched: No such file or directory");
  EXPECT_EQ(test::thrown_text([&] { open_folder(scratch_.file("a")); }),
            scratch_.file("a") + ": cannot be watched: Not a directory");
}

}  // namespace
}  // namespace warpmeter
