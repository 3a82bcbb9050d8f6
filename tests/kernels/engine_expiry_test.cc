// The Engine lets idle flows go when it is told which time has passed: which ones, how many at once, and that nothing
// else is different then.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "kernels/engine_on_host.h"
#include "support/flow_key_maker.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

class EngineExpiry : public testing::Test {
 protected:
  static constexpr std::int64_t kTimeout = 1000;
  static constexpr std::uint32_t kBatch = 100, kAtOnce = 64;  // of a batch so small

  EngineExpiry() {
    options_.meter.timeouts = {kTimeout, 0};
    options_.meter.five_tuple.block = 1000;
    options_.batch = kBatch;
    options_.hash_seed = 1;
    options_.flows = 400;
    options_.hole_units = 64;
    options_.tile = 1;
  }

  void make() {
    engine_ = std::make_unique<Engine<HostDevice>>(std::make_unique<HostDevice>(HostDeviceOptions{}), options_);
  }

  // A packet of each of the flows begin .. end-1. The columns stay as long as the test.
  DeviceMeter::Result meter(std::uint32_t begin, std::uint32_t end, Segment segment) {
    batches_.push_back(std::make_unique<PackedBatch>(kBatch, *std::pmr::new_delete_resource()));
    PackedBatch& batch = *batches_.back();
    batch.make_room(kBatch);
    batch.reset(next_number_);
    for (std::uint32_t flow = begin; flow < end; ++flow) {
      segment.frame = batch.count;
      batch.push({hashed_key(numbered_key(flow)), segment});
    }
    next_number_ += batch.count;
    engine_->submit(batch.span(0, batch.count));
    return collect();
  }
  DeviceMeter::Result meter(std::uint32_t begin, std::uint32_t end, std::int64_t time_ns) {
    return meter(begin, end, test_segment(time_ns));
  }
  DeviceMeter::Result expire(std::int64_t watermark_ns) {
    engine_->expire(watermark_ns);
    return collect();
  }
  DeviceMeter::Result collect() {
    DeviceMeter::Result result;
    engine_->collect(result);
    return result;
  }

  DeviceMeterOptions options_;
  std::unique_ptr<Engine<HostDevice>> engine_;
  std::vector<std::unique_ptr<PackedBatch>> batches_;
  std::uint64_t next_number_ = 1;
};

TEST_F(EngineExpiry, LetsThoseGoThatAreIdleByThatTimeAndNoOthers) {
  make();
  EXPECT_TRUE(expire(100'000).finished.empty());
  meter(0, 10, 5000);
  meter(10, 20, 5001);
  EXPECT_TRUE(expire(5000 + kTimeout).finished.empty());
  const DeviceMeter::Result left = expire(5001 + kTimeout);
  EXPECT_EQ(left.finished.size(), 10u);
  EXPECT_EQ(left.idle_left, 0u);
  for (const Partial& record : left.finished) {
    EXPECT_EQ(record.end_ns, 5000);
    EXPECT_EQ(record.end_reason, EndReason::idle);
    EXPECT_EQ(record.removal, Removal::expired);
  }
  EXPECT_TRUE(expire(5001 + kTimeout).finished.empty());
  EXPECT_EQ(engine_->latest_ns(), 5001);  // no packet has come
  EXPECT_EQ(expire(5002 + kTimeout).finished.size(), 10u);
}

// A clock that was set back makes nobody idle, nor the trace's time earlier.
TEST_F(EngineExpiry, TimeMayRunBack) {
  make();
  meter(0, 10, 5000);
  EXPECT_TRUE(expire(1).finished.empty());
  EXPECT_EQ(engine_->latest_ns(), 5000);
}

TEST_F(EngineExpiry, WithoutIdleTimeoutNobodyIsIdle) {
  options_.meter.timeouts = {0, 0};
  make();
  meter(0, 10, 5000);
  EXPECT_TRUE(expire(1'000'000'000).finished.empty());
}

TEST_F(EngineExpiry, SaysHowManyAreLeft) {
  make();
  for (std::uint32_t flow = 0; flow < 300; flow += kBatch) meter(flow, flow + kBatch, 5000);
  std::set<std::uint64_t> gone;
  for (std::uint32_t left = 300; left > 0;) {
    const DeviceMeter::Result result = expire(10'000);
    EXPECT_EQ(result.finished.size(), std::min(left, kAtOnce));
    left -= std::min(left, kAtOnce);
    EXPECT_EQ(result.idle_left, left);
    for (const Partial& record : result.finished) EXPECT_TRUE(gone.insert(record.arrival).second);
  }
  EXPECT_EQ(gone.size(), 300u);
}

// Keys that come again find their old ids; others find those of flows that left.
TEST_F(EngineExpiry, IdsOfFlowsThatLeftAreUsedAgain) {
  make();
  std::int64_t now = 5000;
  for (std::uint32_t round = 0; round < 40; ++round, now += 10 * kTimeout) {
    const std::uint32_t first = round / 2 * 150;
    EXPECT_TRUE(meter(first, first + kBatch, now).overflow.empty()) << round;
    EXPECT_TRUE(meter(first + kBatch, first + 150, now).overflow.empty()) << round;
    std::size_t left = 0;
    for (DeviceMeter::Result result = expire(now + 2 * kTimeout);; result = expire(now + 2 * kTimeout)) {
      left += result.finished.size();
      if (result.idle_left == 0) break;
    }
    EXPECT_EQ(left, 150u) << round;
  }
  std::vector<Partial> ended;
  EXPECT_TRUE(engine_->drain(now, ended));
  EXPECT_TRUE(ended.empty());
}

// The duplicate check looks back over it.
TEST_F(EngineExpiry, CopiesBehindItAreFound) {
  make();
  Segment segment = test_segment(5000).tcp(1000, 16, 100).identified(7);
  meter(0, 1, segment);
  EXPECT_TRUE(expire(5001).finished.empty());
  segment.time_ns = 5001;
  meter(0, 1, segment);
  std::vector<Partial> ended;
  engine_->drain(5001, ended);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].packets, 2u);
  EXPECT_EQ(ended[0].duplicate_packets, 1u);
}

// What the CPU has taken over is its to let go; the device only forgets that.
TEST_F(EngineExpiry, ForgetsFlowsOnTheCpu) {
  options_.hole_units = 1;
  make();
  DeviceMeter::Result result;
  for (std::uint32_t i = 0; i < 5; ++i) result = meter(0, 1, test_segment(5000).tcp(1000 + 100 * i, 16, 10));
  ASSERT_EQ(result.handed_over.size(), 1u);
  EXPECT_EQ(meter(0, 1, 5000).overflow.size(), 1u);
  EXPECT_TRUE(expire(5001 + kTimeout).finished.empty());
  EXPECT_TRUE(meter(0, 1, 5002 + kTimeout).overflow.empty());
}

// Segment tables name them.
TEST_F(EngineExpiry, FlowsOfRememberedBlocksStay) {
  options_.meter.method = Method::five_tuple;
  options_.meter.five_tuple.block = 20;
  make();
  meter(0, 20, 5000);
  EXPECT_TRUE(expire(1'000'000).finished.empty());
  meter(20, 40, 1'000'000);
  EXPECT_TRUE(expire(1'000'000).finished.empty());
  meter(40, 60, 1'000'000);
  EXPECT_EQ(expire(1'000'000).finished.size(), 20u);
}

}  // namespace
}  // namespace warpmeter::test
