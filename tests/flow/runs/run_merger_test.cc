// Many sorted runs as one.
#include "flow/runs/sorted_runs.h"

#include <gtest/gtest.h>

#include "support/record_maker.h"

namespace warpmeter {
namespace {

using Runs = std::vector<std::unique_ptr<PartialCursor>>;
using test::all_of;
using test::partial_list;
using test::test_record;

TEST(RunMerger, OfNothingIsEmpty) { EXPECT_EQ(RunMerger(Runs{}, output_order).head(), nullptr); }

TEST(RunMerger, OfEmptyRunsIsEmpty) {
  Runs runs;
  for (int i = 0; i < 3; ++i) runs.push_back(partial_list({}));
  EXPECT_EQ(RunMerger(std::move(runs), output_order).head(), nullptr);
}

TEST(RunMerger, EmptyRunsAmongOthersDoNoHarm) {
  Runs runs;
  for (const std::uint64_t arrival : {0, 3, 0, 1, 2, 0}) {
    if (arrival) runs.push_back(partial_list({test_record(1, 0, 0, arrival)}));
    else runs.push_back(partial_list({}));
  }
  RunMerger merger(std::move(runs), output_order);
  const auto records = all_of(merger);
  ASSERT_EQ(records.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(records[i].arrival, i + 1);
}

TEST(RunMerger, ArrivalDecidesBetweenEqualFlows) {
  Runs runs;
  runs.push_back(partial_list({test_record(1, 5, 9, 2), test_record(1, 5, 9, 4)}));
  runs.push_back(partial_list({test_record(1, 5, 9, 1), test_record(1, 5, 9, 3)}));
  RunMerger merger(std::move(runs), output_order);
  const auto records = all_of(merger);
  ASSERT_EQ(records.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(records[i].arrival, i + 1);
}

TEST(RunMerger, KeepsRecordsThatEqualEachOtherEntirely) {
  Runs runs;
  for (int i = 0; i < 3; ++i) runs.push_back(partial_list({test_record(1, 5, 9, 2), test_record(1, 5, 9, 2)}));
  RunMerger merger(std::move(runs), output_order);
  EXPECT_EQ(all_of(merger).size(), 6u);
}

class RandomRuns : public testing::TestWithParam<std::size_t> {};

TEST_P(RandomRuns, ComeOutSorted) {
  const std::size_t count = GetParam();
  const auto records = test::random_records(3000, count);
  std::vector<std::vector<Partial>> parts(count);
  std::mt19937_64 random(count);
  for (const Partial& record : records) parts[random() % count].push_back(record);
  Runs runs;
  for (auto& part : parts) runs.push_back(partial_list(test::sorted(part)));
  RunMerger merger(std::move(runs), output_order);
  EXPECT_TRUE(test::same_records(test::sorted(records), all_of(merger)));
}

INSTANTIATE_TEST_SUITE_P(RunMerger, RandomRuns, testing::Values(1, 2, 3, 4, 17, 256, 2000));

}  // namespace
}  // namespace warpmeter
