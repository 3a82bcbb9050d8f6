// Records that leave while more are added: none is lost or comes twice, the output begins and ends once, and what fails
// on the way is known at once and thrown at the end.
#include "command/live/running_export.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/one_by_one_writer.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

class Recorder : public OneByOneWriter {
 public:
  explicit Recorder(std::size_t fails_at = SIZE_MAX) : fails_at_(fails_at) {}
  void begin() override { ++begun; }
  void write(const FlowRecord& record, const FlowRecord*) override {
    if (records.size() == fails_at_) throw Error("no more");
    records.push_back(record);
    ++count;
  }
  void flush() override { ++flushed; }
  void end() override { ++ended; }

  std::vector<FlowRecord> records;
  std::atomic<std::size_t> count = 0;
  int begun = 0, ended = 0;
  std::atomic<int> flushed = 0;

 private:
  const std::size_t fails_at_;
};

class RunningExportTest : public testing::Test {
 protected:
  RunningExportTest() : runs_({folder_.path(), arrival_order, 1 << 20}) {
    options_.tmpdir = folder_.path();
    options_.memory = 32 << 20;
    options_.meter.timeouts = {};
  }
  std::unique_ptr<RunningExport> start(RecordWriter& output) {
    return std::make_unique<RunningExport>(options_, runs_, output, 5ms, [this] { failed_ = true; });
  }
  template <class Condition>
  static void wait_for(const Condition& condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i) std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(condition());
  }

  const test::ScratchFolder folder_;
  ExtractOptions options_;
  RunStore runs_;
  std::atomic<bool> failed_ = false;
};

std::vector<Partial> ended_flows(std::size_t count, std::size_t first) {
  std::vector<Partial> flows;
  for (std::size_t i = 0; i < count; ++i) {
    const auto time = static_cast<std::int64_t>(first + i);
    flows.push_back(test::test_record(static_cast<std::uint32_t>(first + i), time, time + 1, first + i + 1));
  }
  return flows;
}

TEST_F(RunningExportTest, RecordsLeaveWhileMoreCome) {
  Recorder output;
  const auto running = start(output);
  EXPECT_EQ(output.begun, 1);
  for (std::size_t i = 0; i < 5; ++i) {
    runs_.add(ended_flows(100, 100 * i));
    wait_for([&] { return output.count == 100 * (i + 1); });
  }
  runs_.add(ended_flows(7, 500));
  const ExportedRecords exported = running->finish();
  EXPECT_EQ(exported.rows, 507u);
  EXPECT_EQ(exported.totals.packets, 507u);
  EXPECT_EQ(output.records.size(), 507u);
  EXPECT_GT(output.flushed, 4);
  EXPECT_EQ(output.begun, 1);
  EXPECT_EQ(output.ended, 1);
  EXPECT_FALSE(failed_);
}

TEST_F(RunningExportTest, WhatIsAddedOnceItIsStoppedLeavesAtTheEnd) {
  Recorder output;
  const auto running = start(output);
  runs_.add(ended_flows(100, 0));
  wait_for([&] { return output.count == 100; });
  running->stop();
  runs_.add(ended_flows(7, 100));
  std::this_thread::sleep_for(50ms);  // ten times as long as between two exports
  EXPECT_EQ(output.count, 100u);
  EXPECT_EQ(running->finish().rows, 107u);
  EXPECT_EQ(output.records.size(), 107u);
  EXPECT_EQ(output.ended, 1);
}

TEST_F(RunningExportTest, WhatTheOutputThrowsIsToldAtOnceAndThrownAtTheEnd) {
  Recorder output(150);
  const auto running = start(output);
  runs_.add(ended_flows(200, 0));
  wait_for([&] { return failed_.load(); });
  runs_.add(ended_flows(200, 200));
  EXPECT_EQ(test::thrown_text([&] { running->finish(); }), "no more");
  EXPECT_EQ(output.ended, 0);
}

TEST_F(RunningExportTest, WithoutFinishNothingIsEnded) {
  Recorder output;
  start(output).reset();
  EXPECT_EQ(output.begun, 1);
  EXPECT_EQ(output.ended, 0);
}

}  // namespace
}  // namespace warpmeter
