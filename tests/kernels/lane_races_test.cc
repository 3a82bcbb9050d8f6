// The kernels with lanes as threads (thread_tile.h), for ThreadSanitizer: whatever a lane reads that another one writes
// must have a sync() between. The results are checked too.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "kernels/device_flow_table.h"
#include "kernels/device_flows.h"
#include "kernels/device_segment_tables.h"
#include "kernels/flow_traffic.h"
#include "kernels/lane_thread_device.h"
#include "support/record_maker.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr unsigned kTiles = 3;  // at work at a time
constexpr std::uint32_t kSegments = 300;

template <class Size>
class LaneRaces : public testing::Test {};
using Sizes = testing::Types<std::integral_constant<unsigned, 2>, std::integral_constant<unsigned, 4>>;
TYPED_TEST_SUITE(LaneRaces, Sizes);

TYPED_TEST(LaneRaces, FindingFlows) {
  constexpr std::uint32_t kKeys = 12;
  DeviceFlowTable table(64, 64, kKeys);
  LaneThreadDevice<TypeParam::value> device(kTiles);
  std::mt19937_64 random(1);
  for (int round = 0; round < 2; ++round) {  // first all keys are new, then none
    std::vector<Packet> packets;
    for (std::uint32_t i = 0; i < kSegments; ++i) {
      const auto key = static_cast<std::uint32_t>(random() % kKeys);
      packets.push_back({numbered_key(key), key % 3, {}, i + 1});
    }
    DeviceBatch batch(packets, 0, kSegments, 0, kKeys);
    table.find_flows(device, batch, true, TypeParam::value);
    for (std::uint32_t i = 0; i < kSegments; ++i) {
      ASSERT_LT(batch.flow[i], kKeys);
      ASSERT_TRUE(table.state(batch.flow[i]).key == packets[i].key);
    }
    ASSERT_EQ(table.ids_given(), kKeys);
  }
}

TYPED_TEST(LaneRaces, FindingRetransmissions) {
  constexpr std::uint32_t kFlows = 2, kSequences = 30;
  DeviceSegmentTables tables(128, 0);
  LaneThreadDevice<TypeParam::value> device(kTiles);
  std::mt19937_64 random(1);
  std::set<std::pair<std::uint32_t, std::uint32_t>> previous;
  for (std::uint64_t block = 0; block < 3; ++block) {
    tables.turn_to(block);
    std::vector<Packet> packets(kSegments);
    for (std::uint32_t i = 0; i < kSegments; ++i) {
      packets[i].segment = test_segment(0).tcp(static_cast<std::uint32_t>(random() % kSequences), 16, i % 10 ? 5 : 0);
      packets[i].number = block * kSegments + i + 1;
    }
    DeviceBatch batch(packets, 0, kSegments, 0, kFlows);
    for (std::uint32_t i = 0; i < kSegments; ++i) {
      batch.flow[i] = static_cast<std::uint32_t>(random() % (kFlows + 1));
      batch.mark[i] = i % 7 ? 0 : kDuplicate;
    }
    tables.find_retransmissions(device, batch, TypeParam::value);
    std::set<std::pair<std::uint32_t, std::uint32_t>> current;
    for (std::uint32_t i = 0; i < kSegments; ++i) {
      const std::pair key(batch.flow[i], packets[i].segment.sequence);
      const bool counts = i % 10 && i % 7 && batch.flow[i] < kFlows;
      const bool again = counts && (!current.insert(key).second || previous.contains(key));
      ASSERT_EQ((batch.mark[i] & kRetransmitted) != 0, again) << i;
    }
    previous = current;
  }
}

template <unsigned kLanes>
void check_metering(Method method, std::uint64_t disorder) {
  constexpr std::uint32_t kFlows = 4;
  const FlowOptions options{{1000, 4000}, 70, method};
  LaneThreadDevice<kLanes> device(kTiles);
  for (const std::uint32_t piece_size : {0u, 2u, 8u}) {
    const auto packets = FlowTraffic(kFlows + 1, 40, piece_size, disorder).packets(600);
    MeteredFlows metered(kFlows), expected(kFlows);
    meter_batch(device, packets, options, kLanes, piece_size, metered);
    meter_batch_plainly(packets, options, expected);
    metered.sort_records();
    expected.sort_records();
    ASSERT_TRUE(same_leaving(expected, metered));
    ASSERT_GT(metered.records.size(), 5u);
    for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
      ASSERT_TRUE(same_state(metered.state[flow], expected.state[flow], method)) << flow;
      ASSERT_TRUE(same_holes(metered.holes[flow], expected.holes[flow])) << flow;
    }
  }
}

TYPED_TEST(LaneRaces, MeteringFlows) { check_metering<TypeParam::value>(Method::five_tuple, 5); }
TYPED_TEST(LaneRaces, MeteringFlowsExactly) { check_metering<TypeParam::value>(Method::exact, 40); }
TYPED_TEST(LaneRaces, MeteringFlowsInDisorderExactly) { check_metering<TypeParam::value>(Method::exact, 5); }

// Several flows ask for the little memory that there is, and leave their segments.
TYPED_TEST(LaneRaces, HandingFlowsOver) {
  constexpr std::uint32_t kFlows = 6;
  const FlowOptions options{.method = Method::exact};
  LaneThreadDevice<TypeParam::value> device(kTiles);
  MeteredFlows metered(kFlows, 4);
  FlowTraffic traffic(kFlows, 100, 1, 4);  // the last has no flow
  std::vector<std::uint64_t> count(kFlows);
  for (int batch = 0; batch < 4; ++batch) {
    const auto packets = traffic.packets(200);
    const auto left = meter_batch(device, packets, options, TypeParam::value, 2, metered);
    for (const MarkedPacket& m : packets) ++count[m.flow];
    for (const std::uint32_t i : left) --count[packets[i].flow];
  }
  std::vector<std::uint64_t> metered_count(kFlows);
  for (const Partial& r : metered.records) metered_count[r.key.source[3]] += r.packets;
  for (const FlowState& f : metered.handed_over) metered_count[f.key.source[3]] += f.packets;
  for (std::uint32_t flow = 0; flow < kFlows; ++flow) {
    const FlowState& f = metered.state[flow];
    if ((f.bits & kInUse) && !(f.bits & kOnCpu)) metered_count[flow] += f.packets;
  }
  EXPECT_GT(metered.handed_over.size(), 1u);
  EXPECT_EQ(metered_count, count);
}

// New ids of the lanes of one tile, and of several.
TYPED_TEST(LaneRaces, RehashingTheFlowTable) {
  constexpr std::uint32_t kCapacity = 101;
  DeviceFlowTable table(256, 256, kCapacity);
  LaneThreadDevice<TypeParam::value> device(kTiles);
  for (std::uint32_t id = 0; id < kCapacity; ++id) {
    table.state(id).key = numbered_key(id);
    table.state(id).bits = id % 3 ? 0 : kInUse;
  }
  table.rehash(device, false, 1, TypeParam::value);
  EXPECT_EQ(table.room.lost, 0u);
  const std::vector<std::uint32_t> free = table.free_ids();
  EXPECT_EQ(std::set<std::uint32_t>(free.begin(), free.end()).size(), kCapacity - (kCapacity + 2) / 3);
}

}  // namespace
}  // namespace warpmeter::test
