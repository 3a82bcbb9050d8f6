// The packets of files that come while others are read: each once, in the order of time, numbered through; how far time
// has passed; what becomes of files that cannot be read, grow, or are written anew; and when it ends.
#include "packet/folder/folder_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/thread_annotations.h"
#include "pipeline/batches/ordered_batches.h"
#include "support/pcap_file.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Seconds = std::vector<std::uint32_t>;

constexpr std::int64_t kSecond = 1'000'000'000;

struct GivenTimes {
  void begin() {
    times.clear();
    watermark_ns = FrameBlock::kNothingPassed;
  }
  void add(const FrameBlock& block) {
    for (const Frame& frame : block.frames) times.push_back(static_cast<std::uint32_t>(frame.time_ns / kSecond));
    watermark_ns = block.watermark_ns;
  }
  void finish(std::uint64_t number) { first_number = number; }

  Seconds times;
  std::int64_t watermark_ns = FrameBlock::kNothingPassed;
  std::uint64_t first_number = 0;
};

class FolderSourceTest : public testing::Test {
 protected:
  static test::Bytes pcap(const Seconds& times) {
    test::PcapFile file;
    for (const std::uint32_t seconds : times) file.record(seconds, 0, {1});
    return file.data();
  }
  void write(const std::string& name, const Seconds& times) const { scratch_.write(name, pcap(times)); }

  // Reads in threads until end().
  void start(unsigned threads = 3, std::chrono::nanoseconds duration = 0ns) {
    GrowingFolderOptions options{.duration = duration, .warn = [this](const std::string& line) {
                                   const std::lock_guard lock(mutex_);
                                   told_.push_back(line.substr(line.rfind('/') + 1));
                                 }};
    folder_ = std::make_unique<GrowingFolder>(scratch_.path(), options, stop_);
    source_ = std::make_unique<FolderSource>(*folder_, 0ns);
    const BatchShape shape{.workers = threads, .slots = 2 * threads - 1, .consumers = 1, .chunk = {.frames = 2}};
    thread_ = std::thread([this, shape] {
      OrderedBatches<GivenTimes> batches(*source_, shape, [] { return GivenTimes(); });
      batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t batch = first; batch < last; ++batch) take(batches[batch]);
      });
    });
  }
  void take(const GivenTimes& given) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(given.times.empty() || given.first_number == times_.size() + 1);
    times_.insert(times_.end(), given.times.begin(), given.times.end());
    if (given.watermark_ns != FrameBlock::kNothingPassed) watermark_ns_ = given.watermark_ns;
  }
  template <class Condition>
  void wait_for(const Condition& condition) {
    for (int i = 0; i < 10'000; ++i) {
      {
        const std::lock_guard lock(mutex_);
        if (condition()) return;
      }
      std::this_thread::sleep_for(1ms);
    }
    FAIL() << "not in time";
  }
  void wait_for_packets(std::size_t packets) {
    wait_for([&] { return times_.size() >= packets; });
  }
  void wait_for_lines(std::size_t lines) {
    wait_for([&] { return told_.size() >= lines; });
  }
  Seconds end() {
    stop_ = true;
    thread_.join();
    return times_;
  }

  const test::ScratchFolder scratch_{test::folder_in_memory()};
  std::atomic<bool> stop_ = false;
  std::unique_ptr<GrowingFolder> folder_;
  std::unique_ptr<FolderSource> source_;
  std::thread thread_;
  std::mutex mutex_;  // once end() has returned there is one thread only
  Seconds times_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<std::string> told_ WARPMETER_GUARDED_BY(mutex_);
  std::int64_t watermark_ns_ WARPMETER_GUARDED_BY(mutex_) = 0;
};

TEST_F(FolderSourceTest, WhatIsThereIsReadInTheOrderOfTime) {
  write("a", {50, 51});
  write("b", {10, 12, 14});
  write("c", {11, 13, 20, 21, 22});
  start();
  wait_for_packets(10);
  EXPECT_EQ(end(), Seconds({10, 11, 12, 13, 14, 20, 21, 22, 50, 51}));
  EXPECT_EQ(folder_->facts().files, 3U);
  EXPECT_TRUE(told_.empty());
}

TEST_F(FolderSourceTest, FilesAreReadAsTheyBecomeComplete) {
  write("a", {10, 11});
  start();
  wait_for_packets(2);
  std::ofstream file(scratch_.file("b"), std::ios::binary);
  const test::Bytes bytes = pcap({12, 13, 14});
  file.write(reinterpret_cast<const char*>(bytes.data()), 60).flush();
  write("c.part", {15, 16});
  std::this_thread::sleep_for(30ms);  // a chance to be read too early
  file.write(reinterpret_cast<const char*>(bytes.data()) + 60, static_cast<std::streamsize>(bytes.size()) - 60).flush();
  file.close();
  wait_for_packets(5);
  fs::rename(scratch_.file("c.part"), scratch_.file("c"));
  wait_for_packets(7);
  EXPECT_EQ(end(), Seconds({10, 11, 12, 13, 14, 15, 16}));
  EXPECT_EQ(source_->frames_read(), 7U);
  EXPECT_EQ(folder_->facts().time_runs_back_count, 0U);
}

// What a file that is not complete yet holds nobody knows: a silent folder is no reason to believe that time has
// passed.
TEST_F(FolderSourceTest, TimePassesWithPacketsOnly) {
  write("a", {100, 200, 150});
  start();
  wait_for([&] { return watermark_ns_ == 199 * kSecond; });
  std::this_thread::sleep_for(50ms);
  {
    const std::lock_guard lock(mutex_);
    EXPECT_EQ(watermark_ns_, 199 * kSecond);
  }
  write("b", {300});
  wait_for([&] { return watermark_ns_ == 299 * kSecond; });
  end();
}

TEST_F(FolderSourceTest, AnEarlierFileThatComesLateIsCounted) {
  write("a", {100, 200});
  start();
  wait_for_packets(2);
  write("b", {50, 60});
  wait_for_packets(4);
  EXPECT_EQ(end(), Seconds({100, 200, 50, 60}));
  const FolderFacts facts = folder_->facts();
  ASSERT_EQ(facts.time_runs_back_count, 1U);
  EXPECT_EQ(facts.time_runs_back.front().by_ns, 150 * kSecond);
  EXPECT_EQ(facts.time_runs_back.front().to, scratch_.file("b"));
}

TEST_F(FolderSourceTest, NoTimeRunsBackBehindAFileWithoutPackets) {
  test::Bytes cut = pcap({10});
  cut.resize(cut.size() - 3);
  scratch_.write("cut", cut);
  start();
  wait_for_lines(1);
  write("b", {20});
  wait_for_packets(1);
  EXPECT_EQ(end(), Seconds({20}));
  EXPECT_EQ(folder_->facts().time_runs_back_count, 0U);
}

TEST_F(FolderSourceTest, BadFilesAreToldAndTheRestIsRead) {
  test::Bytes cut = pcap({10, 11, 12});
  cut.resize(cut.size() - 3);
  scratch_.write("cut", cut);
  scratch_.write("no capture", {1, 2, 3, 4, 5, 6, 7, 8});
  scratch_.write("head", {0xd4, 0xc3, 0xb2, 0xa1, 2, 0});
  scratch_.write("empty", {});
  fs::create_symlink(scratch_.file("nowhere"), scratch_.file("link"));
  start();
  wait_for_packets(2);
  write("good", {20});
  wait_for_packets(3);
  EXPECT_EQ(end(), Seconds({10, 11, 20}));
  const FolderFacts facts = folder_->facts();
  EXPECT_EQ(facts.files, 2U);
  EXPECT_EQ(facts.damage.size(), 1U);
  EXPECT_EQ(facts.unreadable.size(), 2U);
  EXPECT_EQ(facts.passed_over, 1U);
  std::ranges::sort(told_);
  ASSERT_EQ(told_.size(), 3U);
  EXPECT_TRUE(told_[0].starts_with("cut: damaged at byte 58: ")) << told_[0];
  EXPECT_EQ(told_[1], "head: file header cut short");
  EXPECT_EQ(told_[2], "link: No such file or directory");
}

TEST_F(FolderSourceTest, DamageIsCountedBeyondItsList) {
  test::Bytes cut = pcap({10});
  cut.resize(cut.size() - 3);
  const std::size_t files = GrowingFolder::kMostKept + 2;
  for (std::size_t i = 0; i < files; ++i) scratch_.write("cut" + std::to_string(i), cut);
  start();
  wait_for_lines(files);
  end();
  EXPECT_EQ(folder_->facts().damage.size(), GrowingFolder::kMostKept);
  EXPECT_EQ(folder_->facts().damage_beyond, 2U);
  EXPECT_EQ(folder_->facts().damaged, files);
}

TEST_F(FolderSourceTest, NoFileIsReadTwice) {
  write("a", {10, 11});
  start();
  wait_for_packets(2);
  fs::rename(scratch_.file("a"), scratch_.file("renamed"));
  std::ofstream(scratch_.file("renamed"), std::ios::app).close();
  fs::copy(scratch_.file("renamed"), scratch_.file("a"));
  fs::rename(scratch_.file("a"), scratch_.file("renamed"));  // a copy takes its place
  fs::create_hard_link(scratch_.file("renamed"), scratch_.file("hard"));
  write("b", {12});
  wait_for_packets(3);
  const Seconds times = end();
  EXPECT_LE(times.size(), 5U);  // the copy may be read under the other name, if somebody looks between the two
  EXPECT_EQ(times.back(), 12U);
}

// As tcpdump -z gzip does, and what rotates names.
TEST_F(FolderSourceTest, FilesThatArePackedOrRenamedLaterAreReadOnce) {
  Seconds expected;
  start();
  for (std::uint32_t i = 0; i < 60; ++i) {
    const std::string name = "f" + std::to_string(i);
    write(name, {100 + i});
    expected.push_back(100 + i);
    if (i % 3 == 0) continue;
    if (i % 3 == 1) write(name + ".gz", {100 + i});  // what is in it counts
    fs::rename(scratch_.file(name), scratch_.file(i % 3 == 1 ? ".gone" : "renamed" + std::to_string(i)));
  }
  write("last", {200});
  wait_for([&] { return !times_.empty() && times_.back() == 200; });
  Seconds times = end();
  expected.push_back(200);
  std::ranges::sort(times);
  EXPECT_EQ(times, expected);
}

TEST_F(FolderSourceTest, AFileThatGrowsLaterIsTold) {
  write("a", {10, 11});
  start();
  wait_for_packets(2);
  write("a", {10, 11, 12});
  wait_for_lines(1);
  write("b", {20});
  wait_for_packets(3);
  EXPECT_EQ(end(), Seconds({10, 11, 20}));
  EXPECT_EQ(told_, std::vector<std::string>{"a: it has grown after it was read; what came later is not metered"});
  EXPECT_EQ(folder_->facts().changed, 1U);
  EXPECT_TRUE(folder_->facts().unreadable.empty());
}

TEST_F(FolderSourceTest, AFileThatIsCutLaterIsTold) {
  write("a", {10, 11, 12});
  start();
  wait_for_packets(3);
  fs::resize_file(scratch_.file("a"), fs::file_size(scratch_.file("a")) - 1);
  std::ofstream(scratch_.file("a"), std::ios::app).close();
  wait_for_lines(1);
  write("b", {20});
  wait_for_packets(4);
  EXPECT_EQ(end(), Seconds({10, 11, 12, 20}));
  EXPECT_EQ(told_,
            std::vector<std::string>{"a: it has become shorter after it was read; what it held then is metered"});
  EXPECT_EQ(folder_->facts().changed, 1U);
}

// Reading the messages of the kernel would wait for more, and take them away from those for whom they are.
TEST_F(FolderSourceTest, ALinkToNoUsualFileIsToldOnce) {
  fs::create_symlink("/proc/kmsg", scratch_.file("messages"));
  fs::create_symlink("/dev/zero", scratch_.file("zeros"));
  fs::create_symlink(fs::temp_directory_path(), scratch_.file("folder"));
  scratch_.write("elsewhere.part", {});
  fs::create_symlink("elsewhere.part", scratch_.file("empty"));
  write("a", {10});
  start();
  wait_for_packets(1);
  wait_for_lines(1);
  write("b", {20});
  wait_for_packets(2);
  end();
  EXPECT_EQ(told_.size(), 1U);
  EXPECT_EQ(folder_->facts().unreadable,
            std::vector<std::string>{scratch_.file("messages") +
                                     ": leads to what the kernel makes up, as /proc, and is no file of a disk; it is "
                                     "not read"});
}

// As tcpdump -C -W does.
TEST_F(FolderSourceTest, AFileThatIsWrittenAnewIsReadAnew) {
  write("a", {10, 11});
  start();
  wait_for_packets(2);
  write("a", {20, 21});
  wait_for_packets(4);
  EXPECT_EQ(end(), Seconds({10, 11, 20, 21}));
  EXPECT_TRUE(told_.empty());
}

TEST_F(FolderSourceTest, WhatIsCompleteWhenItIsToldToStopIsRead) {
  start();
  std::ofstream open(scratch_.file("open"));
  open << "x" << std::flush;
  for (std::uint32_t i = 0; i < 100; ++i) write("f" + std::to_string(i), {10 + i});
  EXPECT_EQ(end().size(), 100U);
  EXPECT_EQ(folder_->facts().being_written, 1U);
}

TEST_F(FolderSourceTest, EndsAfterItsDuration) {
  write("a", {10});
  start(1, 1ms);
  thread_.join();
  EXPECT_EQ(times_, Seconds({10}));
  EXPECT_TRUE(told_.empty());
}

TEST_F(FolderSourceTest, EndsWithItsFolder) {
  write("a", {10});
  start(2);
  wait_for_packets(1);
  fs::rename(scratch_.path(), scratch_.path() + "-gone");
  thread_.join();
  fs::rename(scratch_.path() + "-gone", scratch_.path());
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_TRUE(told_[0].ends_with(": the folder is gone")) << told_[0];
  EXPECT_TRUE(folder_->facts().folder_is_gone);
  EXPECT_TRUE(folder_->facts().unreadable.empty());
}

}  // namespace
}  // namespace warpmeter
