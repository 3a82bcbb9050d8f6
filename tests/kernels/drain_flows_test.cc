// The end of the input: what is left of every flow becomes a record. And what the device cannot meter is listed.
#include <gtest/gtest.h>

#include <algorithm>

#include "kernels/device_flows.h"
#include "kernels/host_device.h"
#include "kernels/tile_sizes.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::int64_t kIdle = 1000, kTraceEnd = 2900;

// Flow i ended at 100 * i ns; every third is not in use, every fourth had a FIN, every fifth has spilled counters.
MeteredFlows flows_of(std::uint32_t count) {
  MeteredFlows flows(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % 3 == 0) continue;
    FlowState& f = flows.state[i];
    start_flow(f, {100 * i, 0, false}, i + 1);
    count_packet(f, {});
    f.end_ns = 100 * i;
    if (i % 4 == 0) f.bits |= kHadFinOrRst;
    if (i % 5 == 0) f.bits |= kCountersSpilled;
  }
  return flows;
}

MeteredFlows drained(MeteredFlows flows, std::uint32_t begin, std::uint32_t end, std::int64_t trace_end_ns,
                     std::int64_t idle_ns) {
  HostDevice device({.threads = 3});
  drain_flows(device, flows, begin, end, trace_end_ns, {{idle_ns, 0}});
  flows.sort_records();
  return flows;
}

bool has_spilled(const MeteredFlows& flows, const Partial& partial) {
  const auto& those = flows.records_with_spilled;
  return std::any_of(those.begin(), those.end(), [&](const Partial& one) { return one.arrival == partial.arrival; });
}

TEST(DrainFlows, EveryFlowInUseHasARecord) {
  constexpr std::uint32_t kBegin = 7, kEnd = 50, kCount = 60;
  const MeteredFlows flows = drained(flows_of(kCount), kBegin, kEnd, kTraceEnd, kIdle);
  const std::vector<Partial>& records = flows.records;
  std::size_t at = 0;
  for (std::uint32_t i = kBegin; i < kEnd; ++i) {
    if (i % 3 == 0) continue;
    ASSERT_LT(at, records.size());
    const Partial& r = records[at++];
    EXPECT_EQ(r.arrival, i + 1);
    EXPECT_TRUE(r.key == numbered_key(i));
    EXPECT_EQ(r.packets, 1u);
    EXPECT_EQ(r.removal, Removal::none);
    EXPECT_EQ(has_spilled(flows, r), i % 5 == 0);
    const EndReason silent = kTraceEnd - 100 * std::int64_t{i} > kIdle ? EndReason::idle : EndReason::forced;
    EXPECT_EQ(r.end_reason, i % 4 == 0 ? EndReason::end_of_flow : silent) << i;
  }
  EXPECT_EQ(at, records.size());
  EXPECT_TRUE(flows.spilled.empty());
}

TEST(DrainFlows, WithoutIdleTimeoutNoneIsIdle) {
  for (const Partial& r : drained(flows_of(20), 0, 20, INT64_MAX / 2, 0).records)
    EXPECT_NE(r.end_reason, EndReason::idle);
  EXPECT_EQ(drained(flows_of(20), 0, 20, INT64_MAX / 2, 0).records.size(), 13u);
}

// Those on the CPU end there.
TEST(DrainFlows, FlowsOnTheCpuHaveNoRecord) {
  MeteredFlows flows = flows_of(20);
  for (std::uint32_t i = 0; i < 20; i += 2) {
    if (i % 3) flows.state[i].bits |= kOnCpu;
  }
  const auto records = drained(flows, 0, 20, kTraceEnd, kIdle).records;
  EXPECT_EQ(records.size(), 7u);  // 1, 5, 7, ... 19
  for (const Partial& r : records) EXPECT_EQ(r.key.source[3] % 2, 1);
}

TEST(DrainFlows, HolesAreMissingForGood) {
  const FlowOptions options{{kIdle, 0}, UINT32_MAX, Method::exact};
  MeteredFlows flows(3);
  HostDevice device({});
  std::vector<MarkedPacket> packets(4);
  for (std::uint32_t i = 0; i < 4; ++i) {
    packets[i].flow = i / 2;
    packets[i].packet = {numbered_key(i / 2), 0, test_segment(10).tcp(1000 + i * 50, 16, i < 2 ? 50 : 20), i + 1};
  }
  meter_batch(device, packets, options, 1, 0, flows);
  drain_flows(device, flows, 0, 3, 20, options);
  flows.sort_records();
  ASSERT_EQ(flows.records.size(), 2u);
  EXPECT_EQ(flows.records[0].missing_bytes, 0u);
  EXPECT_EQ(flows.records[1].missing_bytes, 30u);
}

TEST(ListRuns, BeginWhereTheFlowChangesAndNeverWithoutAFlow) {
  for (const unsigned tile : tile_sizes()) {
    const std::vector<std::uint32_t> flow = {0, 0, 1, 3, 3, 3, 7, 7};
    std::vector<std::uint32_t> run(3, 77);
    std::uint32_t count = 0;
    HostDevice({}).launch(ListRuns{flow.data(), 8, 7, run.data(), &count}, (8 + tile - 1) / tile, tile);
    std::sort(run.begin(), run.end());
    EXPECT_EQ(count, 3u);
    EXPECT_EQ(run, (std::vector<std::uint32_t>{0, 2, 3}));
  }
}

}  // namespace
}  // namespace warpmeter::test
