// From arrival order to output order, a key at a time, in memory or through run files.
#include "flow/runs/join.h"

#include <gtest/gtest.h>

#include "support/record_maker.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

class OutputOrderOf : public testing::TestWithParam<std::uint64_t> {};  // bytes of flows in memory

TEST_P(OutputOrderOf, AnyFlowsIsTheirOrder) {
  const test::ScratchFolder folder;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto records = test::random_records(seed * 13, seed);
    OutputOrder ordered(test::record_list(test::records_of(test::sorted(records, arrival_order))),
                        {folder.path(), output_order, GetParam(), 4});
    ASSERT_TRUE(test::same_records(test::records_of(test::sorted(records)), test::all_of(ordered))) << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Memory, OutputOrderOf, testing::Values(1, 3 * sizeof(Partial), std::uint64_t{1} << 20));

TEST(OutputOrder, OfNothingIsEmpty) {
  EXPECT_EQ(OutputOrder(test::record_list({}), {"/nowhere", output_order, 1 << 20}).head(), nullptr);
}

TEST(OutputOrder, KeysStayTogether) {
  const auto first = test::test_record(1, 900, 900, 7), second = test::test_record(2, 100, 100, 3);
  OutputOrder ordered(test::record_list({first, second}), {"/nowhere", output_order, 1 << 20});
  const auto found = test::all_of(ordered);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].arrival, 7u);
  EXPECT_EQ(found[1].arrival, 3u);
}

}  // namespace
}  // namespace warpmeter
