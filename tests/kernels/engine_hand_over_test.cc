// What the Engine leaves to the CPU: flows that it hands over come with all that they had, however late they are
// collected; and when it takes new keys again, those of flows on the CPU stay there.
#include <gtest/gtest.h>

#include <memory>

#include "kernels/engine_on_host.h"
#include "kernels/plain_holes.h"
#include "support/flow_key_maker.h"
#include "support/lower_full_counter.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kSeed = 1;

struct EnginePacket {
  std::uint32_t flow;
  Segment segment;
};

class EngineHandOver : public testing::Test {
 protected:
  static DeviceMeterOptions options() {
    DeviceMeterOptions options;
    options.meter.timeouts = {1000, 0};
    options.batch = 8;
    options.hash_seed = kSeed;
    options.flows = 16;
    options.hole_units = 1;
    options.tile = 1;
    return options;
  }

  void make(const DeviceMeterOptions& options) {
    engine_ = std::make_unique<Engine<HostDevice>>(std::make_unique<HostDevice>(HostDeviceOptions{}), options);
  }

  // The columns stay as long as the test.
  void submit(const std::vector<EnginePacket>& packets) {
    batches_.push_back(
        std::make_unique<PackedBatch>(static_cast<std::uint32_t>(packets.size()), *std::pmr::new_delete_resource()));
    PackedBatch& batch = *batches_.back();
    batch.reset(next_number_);
    for (EnginePacket p : packets) {
      p.segment.frame = batch.count;
      batch.push({hashed_key(numbered_key(p.flow)), p.segment});
    }
    next_number_ += packets.size();
    engine_->submit(batch.span(0, batch.count));
  }
  DeviceMeter::Result collect() {
    DeviceMeter::Result result;
    engine_->collect(result);
    return result;
  }

  std::unique_ptr<Engine<HostDevice>> engine_;
  std::vector<std::unique_ptr<PackedBatch>> batches_;
  std::uint64_t next_number_ = 1;
};

// Three holes, and a fourth for which there is no memory.
std::vector<EnginePacket> four_holes(std::uint32_t flow) {
  std::vector<EnginePacket> packets;
  for (std::uint32_t i = 0; i < 5; ++i) packets.push_back({flow, test_segment(10).tcp(1000 + 100 * i, kAck, 10)});
  return packets;
}

void check_four_holes(const DeviceMeter::Result& result) {
  ASSERT_EQ(result.handed_over.size(), 1u);
  const CpuTakeover& flow = result.handed_over[0];
  EXPECT_TRUE(flow.state.key == numbered_key(1));
  EXPECT_EQ(flow.state.packets, 4u);
  EXPECT_TRUE(same_holes(flow.holes, {{1010, 1100}, {1110, 1200}, {1210, 1300}}));
  EXPECT_FALSE(flow.spilled_counters);
}

TEST_F(EngineHandOver, GivesStateHolesAndWhatIsLeft) {
  make(options());
  submit(four_holes(1));
  const DeviceMeter::Result result = collect();
  check_four_holes(result);
  EXPECT_EQ(result.overflow, std::vector<std::uint32_t>{4});
  EXPECT_EQ(result.duplicate, std::vector<std::uint8_t>{0});
  EXPECT_TRUE(result.finished.empty());
}

TEST_F(EngineHandOver, LaterBatchesLeaveAllOfTheFlow) {
  make(options());
  submit(four_holes(1));
  submit({{1, test_segment(11).tcp(1410, kAck, 10)}, {2, test_segment(11)}, {1, test_segment(12)}});
  check_four_holes(collect());
  const DeviceMeter::Result second = collect();
  EXPECT_TRUE(second.handed_over.empty());
  EXPECT_EQ(second.overflow, (std::vector<std::uint32_t>{0, 2}));
}

TEST_F(EngineHandOver, TellsDuplicatesAmongWhatIsLeft) {
  make(options());
  submit(four_holes(1));
  collect();
  const Segment segment = test_segment(11).tcp(1500, kAck, 10).identified(5);
  submit({{1, segment}, {2, segment}, {1, segment}, {1, test_segment(11).tcp(1500, kAck, 10).identified(6)}});
  const DeviceMeter::Result result = collect();
  EXPECT_EQ(result.overflow, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_EQ(result.duplicate, (std::vector<std::uint8_t>{0, 1, 0}));
}

TEST_F(EngineHandOver, GivesSpilledCounters) {
  const FullCounter full_counter(2);
  make(options());
  submit(four_holes(1));
  const DeviceMeter::Result result = collect();
  ASSERT_EQ(result.handed_over.size(), 1u);
  ASSERT_TRUE(result.handed_over[0].spilled_counters);
  EXPECT_EQ(result.handed_over[0].spilled_counters->packets + result.handed_over[0].state.packets, 4u);
  EXPECT_TRUE(result.finished.empty());
}

// By the time of its batch's last packet the flow is idle, so that the next batch may let its mark go, and another flow
// wants its memory before the first batch is collected.
TEST_F(EngineHandOver, HolesAreThoseOfTheFlowThoughItsMarkIsLetGoBeforeItIsCollected) {
  DeviceMeterOptions crowded = options();
  crowded.batch = 20;
  crowded.flows = 32;
  make(crowded);
  std::vector<EnginePacket> others;  // so many that idle flows are looked for
  for (std::uint32_t flow = 100; flow < 117; ++flow) others.push_back({flow, test_segment(10)});
  submit(others);
  collect();
  submit({others[0]});
  collect();
  std::vector<EnginePacket> first = four_holes(1);
  first.insert(first.begin(), {2, test_segment(10)});  // an id that the sweep of this batch has not yet come to
  first.push_back({100, test_segment(5000)});
  submit(first);
  submit({{100, test_segment(5000).tcp(7000, kAck, 10)}, {100, test_segment(5000).tcp(8000, kAck, 10)}});
  check_four_holes(collect());
}

class EngineRoom : public EngineHandOver {
 protected:
  // Full, and then without most of its flows, which are idle; 16 in all. No batch is under way.
  void fill_and_empty() {
    DeviceMeterOptions small = options();
    small.batch = 4;
    small.hole_units = 64;
    make(small);
    for (std::uint32_t flow = 0; flow < 16; flow += 4) EXPECT_EQ(left_of({flow, flow + 1, flow + 2, flow + 3}, 10), 0u);
    EXPECT_EQ(engine_->room_again(), 0u);  // it takes all that comes
    EXPECT_EQ(left_of({50}, 10), 1u);
    EXPECT_EQ(engine_->room_again(), 0u);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(left_of({0, 51}, 5000), 1u);
  }

  // How many of a packet of each of these flows.
  std::size_t left_of(const std::vector<std::uint32_t>& flows, std::int64_t time_ns) {
    std::vector<EnginePacket> packets;
    for (const std::uint32_t flow : flows) packets.push_back({flow, test_segment(time_ns)});
    submit(packets);
    return collect().overflow.size();
  }

  static std::vector<FlowOnCpu> on_cpu(std::uint32_t begin, std::uint32_t end) {
    std::vector<FlowOnCpu> flows;
    for (std::uint32_t flow = begin; flow < end; ++flow) flows.push_back({numbered_key(flow), 5000});
    return flows;
  }
};

TEST_F(EngineRoom, OnceClosedStaysSoUntilItIsToTakeNewKeysAgain) {
  fill_and_empty();
  EXPECT_EQ(left_of({60}, 5000), 1u);
  EXPECT_EQ(engine_->room_again(), 11u);  // all but flow 0, less what a batch may have taken since
  engine_->take_again({});
  EXPECT_EQ(left_of({0, 50, 51, 60}, 5000), 0u);
}

// Never at the cost of flows that live on the device.
TEST_F(EngineRoom, MoreFlowsOnTheCpuThanThereAreIdsIsAnError) {
  fill_and_empty();
  EXPECT_EQ(left_of({60}, 5000), 1u);
  engine_->take_again(on_cpu(100, 120));
  EXPECT_THROW(left_of({0}, 5000), DeviceError);
}

// More than a batch has packets.
TEST_F(EngineRoom, FlowsOnTheCpuStayThere) {
  fill_and_empty();
  engine_->take_again(on_cpu(50, 60));
  EXPECT_EQ(left_of({50, 51, 55, 59}, 5000), 4u);
  EXPECT_EQ(left_of({0, 60}, 5000), 0u);
  EXPECT_EQ(left_of({61, 57, 0, 58}, 5000), 2u);
}

// Their marks go when they are idle, as the flows themselves do on the CPU.
TEST_F(EngineRoom, FlowsOnTheCpuComeBackWhenTheyWereIdle) {
  fill_and_empty();
  engine_->take_again(on_cpu(50, 60));
  EXPECT_EQ(left_of({50}, 9000), 1u);
  for (int i = 0; i < 4; ++i) left_of({0}, 9000);
  EXPECT_EQ(left_of({51, 52}, 9000), 0u);
  EXPECT_EQ(left_of({50}, 9000), 1u);
}

}  // namespace
}  // namespace warpmeter::test
