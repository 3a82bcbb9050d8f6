// Flows that the device has no memory for go on on the CPU: what the device metered and what the CPU meters from there
// on are together what a plain loop makes of all packets, and no segment is counted twice or by nobody.
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "kernels/device_flows.h"
#include "kernels/flow_traffic.h"
#include "kernels/host_device.h"
#include "kernels/tile_sizes.h"
#include "support/record_maker.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

using Packets = std::vector<MarkedPacket>;

// A device and the CPU behind it.
class DeviceAndCpu {
 public:
  DeviceAndCpu(std::uint32_t flows, std::uint32_t hole_units, const FlowOptions& options, unsigned tile,
               std::uint32_t piece_size, std::uint64_t seed)
      : device_flows_(flows, hole_units),
        cpu_flows_(flows),
        options_(options),
        tile_(tile),
        piece_size_(piece_size),
        device_({.threads = 3, .seed = seed, .tiles = 3}) {}

  void batch(const Packets& packets) {
    const std::vector<bool> was_on_cpu = on_cpu();
    const auto left = meter_batch(device_, packets, options_, tile_, piece_size_, device_flows_);
    for (std::size_t i = 0; i < device_flows_.handed_over.size(); ++i) {
      adopt(device_flows_.handed_over[i], device_flows_.hole_class[i], device_flows_.stray_handed_over[i]);
    }
    handed_over_ += device_flows_.handed_over.size();
    device_flows_.handed_over.clear();
    device_flows_.hole_class.clear();
    device_flows_.stray_handed_over.clear();
    std::vector<bool> is_left(packets.size());
    for (const std::uint32_t i : left) is_left[i] = true;
    const std::vector<bool> is_on_cpu = on_cpu();
    std::vector<bool> has_left = was_on_cpu;  // of the flow some were left in this batch, or before
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const std::uint32_t flow = packets[i].flow;
      if (flow == device_flows_.state.size()) continue;
      if (was_on_cpu[flow]) {
        ASSERT_TRUE(is_left[i]) << "of a flow that the CPU has";
      } else if (has_left[flow]) {
        ASSERT_TRUE(is_left[i]) << "behind where the CPU took over";
      }
      if (!is_left[i]) continue;
      ASSERT_TRUE(is_on_cpu[flow]);
      has_left[flow] = true;
      PlainStep(cpu_flows_, options_).packet(packets[i]);
      ++metered_on_cpu_;
    }
  }

  // That both together are `expected`, a plain loop.
  void check(MeteredFlows& expected) {
    const std::vector<bool> is_on_cpu = on_cpu();
    for (std::size_t flow = 0; flow < is_on_cpu.size(); ++flow) {
      MeteredFlows& owner = is_on_cpu[flow] ? cpu_flows_ : device_flows_;
      ASSERT_TRUE(same_state(owner.state[flow], expected.state[flow], Method::exact)) << "flow " << flow;
      if (is_on_cpu[flow] || (owner.state[flow].bits & kInUse)) {
        ASSERT_TRUE(same_holes(owner.holes[flow], expected.holes[flow])) << "flow " << flow;
      }
    }
    MeteredFlows all = cpu_flows_;
    for (auto which : {&MeteredFlows::records, &MeteredFlows::records_with_spilled, &MeteredFlows::spilled}) {
      (all.*which).insert((all.*which).end(), (device_flows_.*which).begin(), (device_flows_.*which).end());
    }
    all.sort_records();
    expected.sort_records();
    ASSERT_TRUE(same_leaving(expected, all));
    ASSERT_EQ(device_flows_.latest_ns, expected.latest_ns);
  }

  std::size_t handed_over() const { return handed_over_; }
  std::size_t metered_on_cpu() const { return metered_on_cpu_; }

 private:
  std::vector<bool> on_cpu() const {
    std::vector<bool> on_cpu;
    for (const FlowState& f : device_flows_.state) on_cpu.push_back((f.bits & kInUse) && (f.bits & kOnCpu));
    return on_cpu;
  }

  void adopt(const FlowState& state, std::uint8_t hole_class, const StrayState& stray) {
    const std::uint32_t flow = state.key.source[3];
    ASSERT_FALSE(cpu_flows_.state[flow].bits & kInUse) << "handed over twice";
    ASSERT_TRUE(device_flows_.state[flow].bits & kOnCpu);
    cpu_flows_.holes[flow].clear();
    if (state.holes) {
      HoleBlock* block = device_flows_.hole_memory.ref().block(state.holes - 1);
      ASSERT_EQ(block->size_class, hole_class);
      cpu_flows_.holes[flow] = device_flows_.hole_memory.holes_at(state.holes - 1);
    }
    cpu_flows_.state[flow] = state;
    cpu_flows_.stray[flow] = stray;
  }

  MeteredFlows device_flows_, cpu_flows_;
  const FlowOptions options_;
  const unsigned tile_;
  const std::uint32_t piece_size_;
  HostDevice device_;
  std::size_t handed_over_ = 0, metered_on_cpu_ = 0;
};

struct Tally {
  std::size_t handed_over = 0, metered_on_cpu = 0, all = 0;
};

class HandOver : public testing::TestWithParam<unsigned> {
 protected:
  void check(std::uint32_t hole_units, std::uint64_t disorder, std::uint32_t piece_size, std::size_t largest_batch,
             const FlowOptions& options, Tally& tally, std::uint32_t flows = 6, std::size_t count = 1200) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Packets packets = FlowTraffic(flows + 1, 100, seed, disorder).packets(count);
      DeviceAndCpu both(flows, hole_units, options, GetParam(), piece_size, seed);
      MeteredFlows expected(flows);
      std::mt19937_64 random(seed);
      for (auto begin = packets.begin(); begin < packets.end();) {
        const auto left = static_cast<std::size_t>(packets.end() - begin);
        const auto end = begin + static_cast<std::ptrdiff_t>(std::min(left, 1 + random() % largest_batch));
        ASSERT_NO_FATAL_FAILURE(both.batch({begin, end}));
        meter_batch_plainly({begin, end}, options, expected);
        begin = end;
      }
      ASSERT_NO_FATAL_FAILURE(both.check(expected)) << "seed " << seed;
      tally.handed_over += both.handed_over();
      tally.metered_on_cpu += both.metered_on_cpu();
      tally.all += packets.size();
    }
  }
};

TEST_P(HandOver, LosesNothingAndCountsNothingTwice) {
  for (const std::uint32_t hole_units : {1u, 4u, 16u}) {
    SCOPED_TRACE(hole_units);
    Tally tally;
    check(hole_units, 20, 4, 200, {{1000, 4000}, UINT32_MAX, Method::exact}, tally);
    EXPECT_GT(tally.handed_over, hole_units < 16 ? 6u : 0u);
    EXPECT_GT(tally.metered_on_cpu, tally.all / 50);
    EXPECT_LT(tally.metered_on_cpu, tally.all * 19 / 20);
  }
}

TEST_P(HandOver, LosesNothingInTinyBatches) {
  Tally tally;
  check(4, 20, 0, 3, {{1000, 4000}, UINT32_MAX, Method::exact}, tally);
  EXPECT_GT(tally.handed_over, 6u);
}

TEST_P(HandOver, TakesSpilledCountersAlong) {
  Tally tally;
  check(4, 20, 8, 300, {{1000, 4000}, 5, Method::exact}, tally);
  EXPECT_GT(tally.handed_over, 6u);
}

TEST_P(HandOver, AcrossActiveTimeoutsLosesNothing) {
  Tally tally;
  check(4, 10, 2, 100, {{0, 150}, UINT32_MAX, Method::exact}, tally);
  EXPECT_GT(tally.handed_over, 6u);
}

// So many flows that several ask for memory at once.
TEST_P(HandOver, OfManyFlowsLosesNothing) {
  Tally tally;
  check(64, 3, 4, 1500, {{100'000, 0}, UINT32_MAX, Method::exact}, tally, 200, GetParam() == 1 ? 6000 : 1500);
  EXPECT_GT(tally.handed_over, 50u);
}

INSTANTIATE_TEST_SUITE_P(Sizes, HandOver, testing::ValuesIn(tile_sizes()));

// A flow that has to be handed over at its third packet.
Packets three_packets() {
  Packets packets(3);
  const Segment segments[] = {test_segment(10).tcp(1000, 16, 100), test_segment(11).tcp(1100, 16, 100),
                              test_segment(12).tcp(1300, 16, 100)};
  for (std::uint32_t i = 0; i < 3; ++i) packets[i].packet = {numbered_key(0), 0, segments[i], i + 1};
  return packets;
}

TEST(HandOver, GivesTheStateAsItWasBeforeThePacket) {
  MeteredFlows flows(1, 1), expected(1);
  flows.hole_memory.counters.carved = 1;
  const FlowOptions options{.method = Method::exact};
  const Packets packets = three_packets();
  HostDevice device({});
  EXPECT_EQ(meter_batch(device, packets, options, 1, 0, flows), std::vector<std::uint32_t>{2});
  ASSERT_EQ(flows.handed_over.size(), 1u);
  meter_batch_plainly({packets.begin(), packets.begin() + 2}, options, expected);
  EXPECT_TRUE(same_state(flows.handed_over[0], expected.state[0], Method::exact));
  EXPECT_EQ(flows.state[0].bits, kInUse | kOnCpu);
  EXPECT_EQ(flows.state[0].end_ns, 12);
  EXPECT_TRUE(flows.records.empty());
}

TEST(HandOver, LeavesAllLaterSegmentsToTheCpuAndNotesTheLatest) {
  MeteredFlows flows(1, 1);
  flows.hole_memory.counters.carved = 1;
  const FlowOptions options{.method = Method::exact};
  HostDevice device({});
  meter_batch(device, three_packets(), options, 1, 0, flows);
  Packets later = three_packets();
  later[0].packet.segment.time_ns = 500'000;  // beyond all timeouts
  later[1].packet.segment.time_ns = 400'000;
  later[2].packet.segment.flags = kSyn;
  later[2].mark = kDuplicate;
  EXPECT_EQ(meter_batch(device, later, options, 1, 0, flows), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(flows.handed_over.size(), 1u);
  EXPECT_EQ(flows.state[0].end_ns, 500'000);
  EXPECT_EQ(flows.latest_ns, 500'000);
  EXPECT_TRUE(flows.records.empty());
}

// A flow with a hole that ends before the next one begins, again and again: one block is enough for all of them, two
// where the next one begins in the same batch.
TEST(HandOver, IsNotNeededWhereFlowsThatEndGiveTheirMemoryBack) {
  const FlowOptions options{.method = Method::exact};
  for (const bool by_silence : {true, false}) {
    MeteredFlows flows(1, 2);
    HostDevice device({});
    for (std::uint32_t round = 0; round < 20; ++round) {
      Packets packets = three_packets();
      for (MarkedPacket& m : packets) m.packet.segment.time_ns += by_silence ? 2000 * round : 0;
      packets[0].packet.segment.sequence = 1000 - round;
      packets[0].packet.segment.flags = by_silence ? 16 : kSyn;
      packets[0].packet.segment.payload_length = 0;
      ASSERT_TRUE(meter_batch(device, packets, options, 1, 0, flows).empty()) << round;
    }
    ASSERT_EQ(flows.records.size(), 19u);
    for (const Partial& r : flows.records) EXPECT_GE(r.missing_bytes, 100u);
  }
}

// The packet would leave a hole in the old flow, but it begins another.
TEST(HandOver, IsNotNeededWhereThePacketBeginsAnotherFlow) {
  for (const bool by_silence : {true, false}) {
    MeteredFlows flows(1, 1);
    flows.hole_memory.counters.carved = 1;
    Packets packets = three_packets();
    if (by_silence) packets[2].packet.segment.time_ns = 50'000;
    else packets[2].packet.segment.flags = kSyn;
    HostDevice device({});
    EXPECT_TRUE(meter_batch(device, packets, {.method = Method::exact}, 1, 0, flows).empty());
    EXPECT_EQ(flows.records.size(), 1u);
  }
}

// Neither does a duplicate, or what is no TCP segment.
TEST(HandOver, IsNotNeededForWhatHasNoNumbers) {
  for (const bool duplicate : {true, false}) {
    MeteredFlows flows(1, 1);
    flows.hole_memory.counters.carved = 1;
    Packets packets = three_packets();
    if (duplicate) packets[2].mark = kDuplicate;
    else packets[2].packet.segment.kind = 0;
    HostDevice device({});
    EXPECT_TRUE(meter_batch(device, packets, {.method = Method::exact}, 1, 0, flows).empty());
    EXPECT_EQ(flows.state[0].packets, 3u);
  }
}

}  // namespace
}  // namespace warpmeter::test
