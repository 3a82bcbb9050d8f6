// Ranges of keys over runs in memory, live flows and files: together they are everything, once and in order.
#include "flow/runs/sorted_runs.h"

#include <gtest/gtest.h>

#include "core/biflow_key.h"
#include "flow/runs/live_records.h"
#include "flow/runs/run_store.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

using test::ScratchFolder;

std::vector<Partial> of_many_keys(std::size_t count, std::uint32_t keys, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Partial> records;
  for (std::size_t i = 0; i < count; ++i) {
    records.push_back(test::test_record(static_cast<std::uint32_t>(random() % keys), 0, 1, i + 1));
    if (random() % 4 == 0) records.back().key = reversed(records.back().key);
  }
  return records;
}

struct Shape {
  std::size_t records;
  std::uint32_t keys;
  std::uint64_t in_memory;  // bytes
  RecordOrder order;
};

class Ranges : public testing::TestWithParam<Shape> {};

TEST_P(Ranges, AreEverythingOnceAndInOrder) {
  const auto [count, keys, in_memory, order] = GetParam();
  const ScratchFolder folder;
  const auto records = of_many_keys(count, keys, count);
  for (const std::size_t most : {1, 2, 7, 1000}) {
    RunStore store({folder.path(), order, in_memory});
    for (std::size_t i = 0; i < records.size(); i += 50) {
      const std::vector<Partial> part = {
          records.begin() + static_cast<std::ptrdiff_t>(i),
          records.begin() + static_cast<std::ptrdiff_t>(std::min(i + 50, records.size()))};
      if (i % 3) store.add(part);
      else store.add(std::make_shared<test::LiveRecords>(part));
    }
    const auto runs = store.sorted(3);
    EXPECT_EQ(runs->size(), records.size());
    const auto ranges = runs->cut(most);
    ASSERT_GE(ranges.size(), 1u);
    ASSERT_LE(ranges.size(), most);
    EXPECT_FALSE(ranges.front().first);
    EXPECT_FALSE(ranges.back().end);
    std::vector<Partial> all;
    for (const KeyRange& range : ranges) {
      for (const auto cursor = runs->in(range); cursor->head(); cursor->advance()) {
        const FlowKey key = group_key(order, cursor->head()->key);
        if (range.first) {
          ASSERT_GE(compare(key, *range.first), 0);
        }
        if (range.end) {
          ASSERT_LT(compare(key, *range.end), 0);
        }
        all.push_back(*cursor->head());
      }
    }
    ASSERT_TRUE(test::same_records(test::sorted(records, order), all)) << most;
  }
}

constexpr std::uint64_t kPlenty = 1 << 30;
INSTANTIATE_TEST_SUITE_P(SortedRuns, Ranges,
                         testing::Values(Shape{0, 1, kPlenty, arrival_order}, Shape{1, 1, kPlenty, arrival_order},
                                         Shape{1000, 1, 1, arrival_order}, Shape{3000, 5, 40'000, arrival_order},
                                         Shape{3000, 100'000, kPlenty, arrival_order},
                                         Shape{3000, 100'000, 40'000, arrival_order},
                                         Shape{3000, 400, 40'000, biflow_arrival_order},
                                         Shape{3000, 400, 1, biflow_output_order}));

TEST(SortedRuns, RangesAreAboutEqual) {
  RunStore store({"/nowhere/at/all", arrival_order, kPlenty});
  store.add(of_many_keys(40'000, 1'000'000, 3));
  const auto runs = store.sorted(2);
  const auto ranges = runs->cut(20);
  ASSERT_EQ(ranges.size(), 20u);
  for (const KeyRange& range : ranges) {
    std::size_t size = 0;
    for (const auto cursor = runs->in(range); cursor->head(); cursor->advance()) ++size;
    EXPECT_GT(size, 1000u);
    EXPECT_LT(size, 4000u);
  }
}

}  // namespace
}  // namespace warpmeter
