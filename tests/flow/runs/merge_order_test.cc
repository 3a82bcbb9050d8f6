// Which flow comes first, and which files are in order.
#include "flow/runs/flow_cursor.h"

#include <gtest/gtest.h>

#include "flow/runs/flow_lists.h"

namespace warpmeter {
namespace {

using test::merged_flow;

Biflow answered(Biflow flow, std::int64_t start, std::int64_t end) {
  flow.has_reverse = true;
  flow.reverse.key = reversed(flow.forward.key);
  flow.reverse.start_ns = start;
  flow.reverse.end_ns = end;
  return flow;
}

TEST(MergeOrder, IsThatOfKeyStartAndEnd) {
  const MergeOrder order;
  EXPECT_LT(order(merged_flow(1, 9, 9), merged_flow(2, 1, 1)), 0);
  EXPECT_GT(order(merged_flow(2, 1, 1), merged_flow(1, 9, 9)), 0);
  EXPECT_LT(order(merged_flow(1, 3, 9), merged_flow(1, 4, 4)), 0);
  EXPECT_LT(order(merged_flow(1, 3, 8), merged_flow(1, 3, 9)), 0);
  EXPECT_EQ(order(merged_flow(1, 3, 8, 1), merged_flow(1, 3, 8, 2)), 0);
}

TEST(MergeOrder, OfBiflowsIsThatOfBothDirections) {
  const MergeOrder order(true);
  Biflow back = merged_flow(1, 5, 5);
  back.forward.key = reversed(back.forward.key);
  EXPECT_LT(order(merged_flow(1, 4, 9), back), 0);
  EXPECT_GT(order(merged_flow(1, 6, 9), back), 0);
  EXPECT_LT(order(back, merged_flow(2, 1, 1)), 0);
  EXPECT_NE(MergeOrder()(merged_flow(1, 4, 9), back) < 0, MergeOrder()(back, merged_flow(1, 4, 9)) < 0);
}

// The initiator's direction stands first, whichever began first.
TEST(MergeOrder, ABiflowHasTheTimesOfTheDirectionThatBeganFirst) {
  const MergeOrder order(true);
  const Biflow early = answered(merged_flow(1, 1007, 1009), 1001, 1002), late = merged_flow(1, 1005, 1006);
  EXPECT_LT(order(early, late), 0);
  EXPECT_TRUE(order.may_follow(early, late));
  EXPECT_FALSE(order.may_follow(late, early));
  EXPECT_GT(order(answered(merged_flow(1, 1001, 1009), 1001, 1008), merged_flow(1, 1001, 1007)), 0);
}

TEST(MergeOrder, AFileHasItsFlowsInOrder) {
  const MergeOrder order;
  EXPECT_TRUE(order.may_follow(merged_flow(1, 9, 9), merged_flow(2, 1, 1)));
  EXPECT_FALSE(order.may_follow(merged_flow(2, 1, 1), merged_flow(1, 9, 9)));
  EXPECT_FALSE(order.may_follow(merged_flow(1, 2000, 3000), merged_flow(1, 1000, 4000)));
  EXPECT_FALSE(order.may_follow(merged_flow(1, 2001, 4001), merged_flow(1, 2001, 3001)));
  EXPECT_TRUE(order.may_follow(merged_flow(1, 2001, 4001), merged_flow(1, 2001, 4001)));
}

TEST(MergeOrder, RoundedTimesDoNotTellOfEnds) {
  const MergeOrder order;
  EXPECT_TRUE(order.may_follow(merged_flow(1, 2000, 4000), merged_flow(1, 2000, 3000)));
  EXPECT_TRUE(order.may_follow(merged_flow(1, -2000, 4000), merged_flow(1, -2000, -2000)));
  EXPECT_FALSE(order.may_follow(merged_flow(1, 2000, 4000), merged_flow(1, 2000, 3001)));
}

}  // namespace
}  // namespace warpmeter
