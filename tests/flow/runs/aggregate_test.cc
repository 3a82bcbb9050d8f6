// --aggregate: sums per Flow Key, and the rule for the connection's columns.
#include "flow/runs/record_cursors.h"

#include <gtest/gtest.h>

#include "support/record_maker.h"

namespace warpmeter {
namespace {

struct Flow : FlowRecord {
  Flow(std::uint32_t flow, std::int64_t start, std::int64_t end) : FlowRecord(test::test_record(flow, start, end, 1)) {}
  Flow& with(std::uint64_t syns, std::uint64_t fins) {
    syn_count = syns;
    fin_count = fins;
    return *this;
  }
  Flow& connected(std::int64_t value_bytes, std::int64_t ns) {
    flags |= kHasConnection;
    connection_bytes = value_bytes;
    connection_ns = ns;
    return *this;
  }
  Flow& ended(EndReason reason) {
    end_reason = reason;
    return *this;
  }
};

std::vector<FlowRecord> aggregate(std::vector<FlowRecord> flows) {
  Aggregate sums(test::record_list(std::move(flows)));
  return test::all_of(sums);
}

bool connection_stays(std::vector<FlowRecord> flows) {
  const auto sums = aggregate(std::move(flows));
  EXPECT_EQ(sums.size(), 1u);
  return sums.at(0).flags & kHasConnection;
}

TEST(Aggregate, OfNothingIsEmpty) { EXPECT_TRUE(aggregate({}).empty()); }

// Where time runs back, the flow that started first is not the one that came first.
TEST(Aggregate, BeginsWithTheFirstPacketOfAll) {
  Flow early(1, 0, 1), late(1, 5, 6);
  early.arrival = 9;
  late.arrival = 4;
  EXPECT_EQ(aggregate({early, late}).at(0).arrival, 4u);
}

TEST(Aggregate, StaysAtTheLargest) {
  Flow flow(1, 0, 900);
  flow.bytes = INT64_MAX;
  EXPECT_EQ(aggregate({flow, flow, flow}).at(0).bytes, static_cast<std::uint64_t>(INT64_MAX));
}

TEST(Aggregate, SumsTheFlowsOfAKey) {
  const auto sums = aggregate({Flow(1, 0, 900).ended(EndReason::active), Flow(1, 100, 200).ended(EndReason::idle),
                               Flow(2, 50, 60).ended(EndReason::forced)});
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].packets, 2u);
  EXPECT_EQ(sums[0].bytes, 200u);
  EXPECT_EQ(sums[0].start_ns, 0);
  EXPECT_EQ(sums[0].end_ns, 900);
  EXPECT_EQ(sums[0].end_reason, EndReason::idle);  // of the last in output order
  EXPECT_EQ(sums[1].packets, 1u);
  EXPECT_EQ(sums[1].end_reason, EndReason::forced);
}

TEST(Aggregate, SumsEveryCounter) {
  Flow flow(1, 0, 1);
  std::uint64_t value = 1;
  for (std::uint64_t* counter = &flow.packets; counter <= &flow.stray_segments; ++counter) *counter = value++;
  flow.tcp_flags = 5;
  Flow other = flow;
  other.tcp_flags = 18;
  const FlowRecord sum = aggregate({flow, other}).at(0);
  value = 1;
  for (const std::uint64_t* counter = &sum.packets; counter <= &sum.stray_segments; ++counter) {
    EXPECT_EQ(*counter, 2 * value++);
  }
  EXPECT_EQ(value, 17u);
  EXPECT_EQ(sum.tcp_flags, 23);
}

// Flows read back from a file may lack columns.
TEST(Aggregate, KnowsWhatAllOfItsFlowsKnow) {
  Flow first(1, 0, 900), second(1, 100, 200);
  first.absent = 1;
  second.absent = 6;
  const auto sums = aggregate({first, second, Flow(2, 0, 1)});
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].absent, 7u);
  EXPECT_EQ(sums[1].absent, 0u);
}

TEST(Aggregate, ConnectionOfOneFlowStays) {
  const auto sum = aggregate({Flow(1, 0, 1).with(2, 3).connected(50, 60)}).at(0);
  EXPECT_TRUE(sum.flags & kHasConnection);
  EXPECT_EQ(sum.connection_bytes, 50);
  EXPECT_EQ(sum.connection_ns, 60);
}

TEST(Aggregate, ConnectionCutByTheActiveTimeoutStays) {
  const auto sum = aggregate({Flow(1, 0, 1).with(1, 0), Flow(1, 2, 3), Flow(1, 4, 5).with(0, 1).connected(7, 8)}).at(0);
  EXPECT_TRUE(sum.flags & kHasConnection);
  EXPECT_EQ(sum.connection_bytes, 7);
  EXPECT_EQ(sum.connection_ns, 8);
}

TEST(Aggregate, ConnectionGoesUnlessItIsClear) {
  EXPECT_FALSE(connection_stays({Flow(1, 0, 1).with(1, 1).connected(7, 8), Flow(1, 2, 3).with(1, 0)}));
  EXPECT_FALSE(connection_stays({Flow(1, 0, 1).with(1, 1).connected(7, 8), Flow(1, 2, 3).with(0, 1)}));
  EXPECT_FALSE(connection_stays({Flow(1, 0, 1).with(1, 1).connected(7, 8), Flow(1, 2, 3).with(1, 1).connected(7, 8)}));
  EXPECT_FALSE(connection_stays({Flow(1, 0, 1).with(1, 1)}));
  EXPECT_FALSE(connection_stays({Flow(1, 0, 1).with(0, 1).connected(7, 8)}));
  EXPECT_TRUE(connection_stays({Flow(1, 0, 1).with(1, 1).connected(7, 8), Flow(1, 2, 3)}));
}

TEST(Aggregate, ConnectionThatGoesLeavesNoNumbers) {
  const auto sum = aggregate({Flow(1, 0, 1).with(1, 1).connected(7, 8), Flow(1, 2, 3).with(1, 0)}).at(0);
  EXPECT_EQ(sum.connection_bytes, 0);
  EXPECT_EQ(sum.connection_ns, 0);
}

}  // namespace
}  // namespace warpmeter
