// Idle flows are let go to make room: which ones, with which records, and what becomes of their keys.
#include <gtest/gtest.h>

#include <set>

#include "kernels/device_flows.h"
#include "kernels/host_device.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::int64_t kTimeout = 1000, kNow = 5000;
constexpr std::uint32_t kManyFlows = 150;  // enough for several threads
constexpr FlowOptions kExact{{kTimeout, 0}, UINT32_MAX, Method::exact};

// Flow i ended 40 * i ns ago, so that those from 26 on are idle; every third is not in use.
bool in_use(std::uint32_t flow) { return flow % 3 != 0; }
bool is_idle(std::uint32_t flow) { return 40 * flow > kTimeout; }

MeteredFlows flows_of(std::uint32_t count, const FlowOptions& options) {
  MeteredFlows flows(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!in_use(i)) continue;
    MarkedPacket m;
    m.flow = i;
    m.packet.number = i + 1;
    for (const std::uint32_t sequence : {1000, 1000 + 100 * static_cast<int>(i)}) {  // a hole, of most
      m.packet.segment = test_segment(kNow - 40 * i).tcp(sequence, 16, 100);
      HostDevice device({});
      meter_batch(device, {m}, options, 1, 0, flows);
    }
  }
  flows.latest_ns = kNow;
  flows.room = {.given = count, .free = count, .released = 0, .open = 1, .refused = 0, .lost = 0};
  return flows;
}

// Of the flows begin .. end-1. Returns how many wanted to leave with a record.
std::uint32_t expire_idle(MeteredFlows& flows, const FlowOptions& options, std::uint32_t begin, std::uint32_t end,
                          std::uint32_t most) {
  std::uint32_t leaving = 0;
  SinkMemory memory(flows, most);
  with_method(options.method, [&](auto method) {
    HostDevice({.threads = 3})
        .launch(ExpireIdleFlows<method>{flows.ref(memory.sink(), options), begin, &leaving, most}, end - begin);
  });
  return leaving;
}

TEST(ExpireIdleFlows, ConcernsThoseThatAreIdleAndNoOthers) {
  const std::uint32_t begin = 5, end = 50;
  MeteredFlows flows = flows_of(kManyFlows, kExact);
  const MeteredFlows before = flows;
  expire_idle(flows, kExact, begin, end, kManyFlows);
  flows.sort_records();
  std::size_t at = 0;
  for (std::uint32_t i = 0; i < kManyFlows; ++i) {
    if (i < begin || i >= end || !in_use(i) || !is_idle(i)) {
      EXPECT_EQ(std::memcmp(&flows.state[i], &before.state[i], sizeof(FlowState)), 0) << i;
      continue;
    }
    EXPECT_EQ(flows.state[i].bits, kReleased);
    ASSERT_LT(at, flows.records.size());
    const Partial& r = flows.records[at++];
    EXPECT_TRUE(r.key == numbered_key(i));
    EXPECT_EQ(r.end_reason, EndReason::idle);
    EXPECT_EQ(r.removal, Removal::expired);
    EXPECT_EQ(r.packets, 2u);
    EXPECT_EQ(r.missing_bytes, 100 * (i - 1));
  }
  EXPECT_EQ(at, flows.records.size());
  EXPECT_EQ(flows.room.released, at);
}

TEST(ExpireIdleFlows, IsIdleOneNanosecondAfterTheTimeout) {
  for (const std::int64_t late : {0, 1}) {
    MeteredFlows flows = flows_of(26, kExact);  // the last one ended 1000 ns ago
    flows.latest_ns += late;
    expire_idle(flows, kExact, 0, 26, 26);
    EXPECT_EQ(flows.records.size(), late ? 1u : 0u);
  }
}

TEST(ExpireIdleFlows, LetsNoMoreGoThanThereIsRoomForRecords) {
  MeteredFlows flows = flows_of(kManyFlows, kExact);
  std::uint32_t idle = 0;
  for (std::uint32_t i = 0; i < kManyFlows; ++i) idle += in_use(i) && is_idle(i);
  constexpr std::uint32_t kMost = 7;
  std::set<std::uint32_t> gone;
  for (std::uint32_t round = 1; round <= idle / kMost; ++round) {
    expire_idle(flows, kExact, 0, kManyFlows, kMost);
    EXPECT_EQ(flows.records.size(), round * kMost);
    EXPECT_EQ(flows.room.released, round * kMost);
  }
  expire_idle(flows, kExact, 0, kManyFlows, kMost);
  EXPECT_EQ(flows.records.size(), idle);
  for (const Partial& r : flows.records) EXPECT_TRUE(gone.insert(r.key.source[3]).second);
  for (const std::uint32_t flow : gone) EXPECT_TRUE(in_use(flow) && is_idle(flow));
  EXPECT_EQ(expire_idle(flows, kExact, 0, kManyFlows, kMost), 0u);
}

TEST(ExpireIdleFlows, GivesTheBlocksOfHolesBack) {
  MeteredFlows flows = flows_of(kManyFlows, kExact);
  expire_idle(flows, kExact, 0, kManyFlows, kManyFlows);
  std::uint32_t with_holes = 0;
  for (std::uint32_t i = 0; i < kManyFlows; ++i) {
    with_holes += in_use(i) && is_idle(i);
    if (in_use(i)) {
      EXPECT_EQ(flows.state[i].holes != 0, !is_idle(i) && i > 1);
    }
  }
  EXPECT_EQ(flows.hole_memory.counters.tail[0], with_holes);
}

// The mark of a flow that the CPU has goes without a record, and needs no room for one.
TEST(ExpireIdleFlows, LetsMarksOfFlowsOnTheCpuGoWithoutRecord) {
  MeteredFlows flows = flows_of(kManyFlows, kExact);
  std::uint32_t marks = 0;
  for (std::uint32_t i = 0; i < kManyFlows; i += 2) {
    if (!in_use(i)) continue;
    flows.state[i].bits = kInUse | kOnCpu;
    marks += is_idle(i);
  }
  EXPECT_GT(expire_idle(flows, kExact, 0, kManyFlows, 0), 0u);
  EXPECT_TRUE(flows.records.empty());
  EXPECT_EQ(flows.room.released, marks);
  for (std::uint32_t i = 0; i < kManyFlows; ++i) {
    if (!in_use(i)) continue;
    EXPECT_EQ(flows.state[i].bits == kReleased, i % 2 == 0 && is_idle(i)) << i;
    if (i % 2 == 0 && is_idle(i)) {
      EXPECT_EQ(flows.state[i].holes, 0u);
    }
  }
  EXPECT_EQ(flows.hole_memory.counters.tail[0], marks);
}

TEST(ExpireIdleFlows, TellsWhoHasSpilledCounters) {
  MeteredFlows flows = flows_of(kManyFlows, kExact);
  for (std::uint32_t i = 0; i < kManyFlows; i += 2) {
    if (in_use(i)) flows.state[i].bits |= kCountersSpilled;
  }
  expire_idle(flows, kExact, 0, kManyFlows, kManyFlows);
  EXPECT_FALSE(flows.records.empty());
  std::set<std::uint64_t> with_spilled;
  for (const Partial& r : flows.records_with_spilled) with_spilled.insert(r.arrival);
  EXPECT_EQ(with_spilled.size(), flows.records_with_spilled.size());
  for (const Partial& r : flows.records) EXPECT_EQ(with_spilled.contains(r.arrival), r.key.source[3] % 2 == 0);
}

// Segment tables name the ids of flows of this memory block and of the one before.
TEST(ExpireIdleFlows, StaysWhileSegmentTablesNameIt) {
  for (const std::uint32_t block : {5u, 0u, UINT32_MAX}) {
    FlowOptions options{{kTimeout, 0}};
    options.block = block;
    MeteredFlows flows = flows_of(kManyFlows, options);
    for (const std::uint32_t later : {0u, 1u}) {
      options.block = block + later;
      expire_idle(flows, options, 0, kManyFlows, kManyFlows);
      EXPECT_TRUE(flows.records.empty());
    }
    options.block = block + 2;
    expire_idle(flows, options, 0, kManyFlows, kManyFlows);
    EXPECT_GT(flows.records.size(), 10u);
    for (const Partial& r : flows.records) EXPECT_TRUE(is_idle(r.key.source[3]));
    EXPECT_EQ(flows.room.released, flows.records.size());
  }
}

// Until the flow table is made anew, the key finds its old id: it is in use again, as another flow.
TEST(ExpireIdleFlows, KeyThatComesAgainStartsANewFlowInTheOldPlace) {
  for (const Method method : {Method::exact, Method::five_tuple}) {
    FlowOptions options{{kTimeout, 0}, UINT32_MAX, method};
    MeteredFlows flows = flows_of(kManyFlows, options);
    options.block += 2;
    expire_idle(flows, options, 0, kManyFlows, kManyFlows);
    const auto released = static_cast<std::uint32_t>(flows.records.size());
    std::vector<MarkedPacket> packets;
    for (const std::uint32_t flow : {40u, 43u, 40u, 46u, 40u, 10u}) {
      MarkedPacket m;
      m.flow = flow;
      m.packet = {numbered_key(flow), 0, test_segment(kNow).tcp(5000, 16, 100), packets.size() + 1000};
      packets.push_back(m);
    }
    HostDevice device({});
    EXPECT_TRUE(meter_batch(device, packets, options, 1, 0, flows).empty());
    EXPECT_EQ(flows.room.released, released - 3);
    EXPECT_EQ(flows.records.size(), released);
    for (const std::uint32_t flow : {40u, 43u, 46u}) {
      const FlowState& f = flows.state[flow];
      EXPECT_EQ(f.bits & (kInUse | kReleased | kOnCpu), kInUse);
      EXPECT_EQ(f.packets, flow == 40 ? 3u : 1u);
      EXPECT_EQ(f.start_ns, kNow);
      EXPECT_EQ(f.lowest, 5000);
      EXPECT_GE(f.arrival, 1000u);
      if (method == Method::exact) {
        EXPECT_EQ(f.holes, 0u);
      }
    }
  }
}

// The CPU's flow of that key has been idle as well, so that the next one may be the device's.
TEST(ExpireIdleFlows, KeyOfAFlowOnTheCpuComesBackToTheDevice) {
  MeteredFlows flows = flows_of(kManyFlows, kExact);
  flows.state[40].bits = kInUse | kOnCpu;
  expire_idle(flows, kExact, 40, 41, 0);
  EXPECT_EQ(flows.room.released, 1u);
  MarkedPacket m;
  m.flow = 40;
  m.packet = {numbered_key(40), 0, test_segment(kNow).tcp(5000, 16, 100), 1000};
  HostDevice device({});
  EXPECT_TRUE(meter_batch(device, {m}, kExact, 1, 0, flows).empty());
  EXPECT_EQ(flows.state[40].packets, 1u);
  EXPECT_EQ(flows.room.released, 0u);
}

}  // namespace
}  // namespace warpmeter::test
