// A run in memory: sorted, and read from any place to any other.
#include "flow/runs/sorted_runs.h"

#include <gtest/gtest.h>

#include "support/record_maker.h"

namespace warpmeter {
namespace {

std::vector<Partial> part_of(const std::shared_ptr<const SortedRun>& run, std::uint64_t begin, std::uint64_t end) {
  SortedRunCursor cursor(run, begin, end);
  return test::all_of(cursor);
}

TEST(SortedRun, SortsItsChunks) {
  const auto records = test::random_records(1000, 9);
  std::vector<PartialChunk> chunks(3);
  for (std::size_t i = 0; i < records.size(); ++i) chunks[i % 2 * 2].push_back(records[i]);  // one stays empty
  const auto run = std::make_shared<const SortedRun>(std::move(chunks), output_order);
  const auto expected = test::sorted(records);
  EXPECT_TRUE(test::same_records(expected, part_of(run, 0, run->size())));
  EXPECT_TRUE(test::same_records({expected.begin() + 10, expected.begin() + 990}, part_of(run, 10, 990)));
  EXPECT_TRUE(part_of(run, 1000, 1000).empty());
}

TEST(SortedRun, OfNothingIsEmpty) { EXPECT_EQ(SortedRun(std::vector<PartialChunk>(), output_order).size(), 0u); }

}  // namespace
}  // namespace warpmeter
