// Several sequences become one, whatever is in which.
#include "flow/runs/flow_cursor.h"

#include <gtest/gtest.h>

#include "flow/runs/flow_lists.h"

namespace warpmeter {
namespace {

using test::FlowList;
using test::merged_flow;

std::vector<Biflow> merged(const std::vector<std::vector<Biflow>>& lists) {
  std::vector<std::unique_ptr<FlowCursor>> cursors;
  for (const auto& list : lists) cursors.push_back(std::make_unique<FlowList>(list));
  MergedFlows flows(std::move(cursors), MergeOrder());
  return test::all_flows_of(flows);
}

TEST(MergedFlows, NothingOfNothing) {
  EXPECT_TRUE(merged({}).empty());
  EXPECT_TRUE(merged({{}, {}, {}}).empty());
}

TEST(MergedFlows, AreInOrder) {
  const std::vector<Biflow> first = {merged_flow(1, 1, 1, 1), merged_flow(3, 1, 1, 4)};
  const std::vector<Biflow> second = {merged_flow(1, 2, 2, 2), merged_flow(2, 0, 0, 3), merged_flow(4, 0, 0, 5)};
  EXPECT_EQ(test::numbers_of(merged({first, {}, second})), (std::vector<std::uint64_t>{1, 2, 3, 4, 5}));
}

TEST(MergedFlows, OfEqualOnesThoseOfTheSequenceNamedFirstComeFirst) {
  const auto equal = [](std::uint64_t number) { return merged_flow(1, 5, 6, number); };
  EXPECT_EQ(test::numbers_of(merged({{equal(1), equal(2)}, {merged_flow(1, 5, 5, 0), equal(3)}, {equal(4)}})),
            (std::vector<std::uint64_t>{0, 1, 2, 3, 4}));
}

// Lists that are sorted but for ends, as files of rounded times are, come out alike however they are merged.
TEST(MergedFlows, InStepsAsAtOnce) {
  test::RandomFlows chance(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::vector<Biflow>> lists(1 + chance.below(5));
    std::uint64_t number = 0;
    for (auto& list : lists) {
      list.resize(chance.below(5));
      for (Biflow& flow : list) {
        flow = merged_flow(1, 0, static_cast<std::int64_t>(chance.below(4)), ++number);
      }
    }
    const std::size_t cut = chance.below(lists.size() + 1);
    const auto middle = lists.begin() + static_cast<std::ptrdiff_t>(cut);
    const auto in_steps = merged({merged({lists.begin(), middle}), merged({middle, lists.end()})});
    EXPECT_EQ(test::numbers_of(in_steps), test::numbers_of(merged(lists))) << round;
  }
}

}  // namespace
}  // namespace warpmeter
