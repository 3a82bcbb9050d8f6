// The worst flows of a host: the right ones, whatever the order, and all or none where memory is short.
#include "analysis/page/worst_flows.h"

#include <gtest/gtest.h>

#include <random>

#include "support/report_flows.h"

namespace warpmeter::worst_flows_test {
namespace {

FlowRecord flow_of(int to, std::uint64_t retransmitted, std::uint64_t closed = 0) {
  FlowRecord record = test::data_flow(1, to, 1000, retransmitted);
  record.zero_window_count = closed;
  return record;
}

void add(WorstFlows& flows, std::uint32_t host, const FlowRecord& record) {
  flows.add(host, record, counts_of(record));
}

std::vector<std::uint64_t> retransmitted(const std::vector<WorstFlow>& flows) {
  std::vector<std::uint64_t> list;
  for (const WorstFlow& flow : flows) list.push_back(flow.retransmitted_segments);
  return list;
}

TEST(WorstFlows, KeepsThoseWithMost) {
  std::vector<FlowRecord> records;
  for (int i = 0; i < 200; ++i)
    records.push_back(flow_of(2 + i, static_cast<std::uint64_t>(i % 60), 200u - static_cast<std::uint64_t>(i)));
  std::vector<std::uint64_t> expected;
  for (const FlowRecord& record : records) expected.push_back(record.retransmitted_segments);
  std::ranges::sort(expected, std::greater());
  expected.resize(WorstFlows::kMost);
  std::vector<WorstFlow> first;
  for (int round = 0; round < 5; ++round) {
    std::shuffle(records.begin(), records.end(), std::mt19937(static_cast<unsigned>(round)));
    WorstFlows flows;
    for (const FlowRecord& record : records) add(flows, 1, record);
    const std::vector<WorstFlow> worst = flows.of(1, WorstFlows::retransmitted).value();
    EXPECT_EQ(retransmitted(worst), expected);
    if (round == 0) first = worst;
    for (std::size_t i = 0; i < worst.size(); ++i) EXPECT_EQ(worst[i].key, first[i].key);  // also among equals
    EXPECT_EQ(flows.of(1, WorstFlows::zero_windows).value()[0].zero_windows, 200u);
  }
}

TEST(WorstFlows, AFlowWithNothingIsInNoList) {
  WorstFlows flows;
  add(flows, 1, flow_of(2, 0, 3));
  EXPECT_TRUE(flows.of(1, WorstFlows::retransmitted)->empty());
  EXPECT_EQ(flows.of(1, WorstFlows::zero_windows)->size(), 1u);
  EXPECT_TRUE(flows.of(7, WorstFlows::zero_windows)->empty());
}

TEST(WorstFlows, PutsAwayThoseOfSmallHostsForGood) {
  WorstFlows flows(160);  // of which 2 hosts keep their lists of a measure
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sums;
  for (std::uint32_t host = 1; host <= 10; ++host) {
    for (int i = 0; i < 20; ++i) add(flows, host, flow_of(i, host));
    sums.emplace_back(20 * host, host);
  }
  ASSERT_TRUE(flows.is_full());
  flows.keep_largest(WorstFlows::retransmitted, sums);
  EXPECT_FALSE(flows.is_full());
  EXPECT_EQ(retransmitted(flows.of(10, WorstFlows::retransmitted).value()), std::vector<std::uint64_t>(20, 10));
  EXPECT_TRUE(flows.of(9, WorstFlows::retransmitted));
  EXPECT_FALSE(flows.of(8, WorstFlows::retransmitted));
  add(flows, 8, flow_of(30, 1000));  // of a list without those before, nobody would know what it lacks
  EXPECT_FALSE(flows.of(8, WorstFlows::retransmitted));
  flows.forget(8);  // its number is another host's now
  add(flows, 8, flow_of(30, 1000));
  EXPECT_EQ(flows.of(8, WorstFlows::retransmitted)->size(), 1u);
}

}  // namespace
}  // namespace warpmeter::worst_flows_test
