// Columns that are used again: those of arrays that were released, each in its place, and no more than are worth it.
#include "record/arrow/arrow_export.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

std::vector<ArrowColumn> two_columns(std::uint8_t value) {
  std::vector<ArrowColumn> columns(2);
  columns[0].values.assign(1'000, value);
  columns[1].values.assign(2'000, value);
  return columns;
}

TEST(UsedColumns, ComeFromArraysThatWereReleased) {
  const auto used = std::make_shared<UsedColumns>(2);
  EXPECT_TRUE(used->take(0).values.empty());
  ArrowArray array;
  export_array(two_columns(7), 1'000, array, used);
  EXPECT_TRUE(used->take(0).values.empty());  // it is the array's
  ASSERT_EQ(array.n_children, 2);
  EXPECT_EQ(static_cast<const std::uint8_t*>(array.children[1]->buffers[1])[1'999], 7);
  array.release(&array);
  EXPECT_EQ(used->take(1).values, std::vector<std::uint8_t>(2'000, 7));
  EXPECT_EQ(used->take(0).values, std::vector<std::uint8_t>(1'000, 7));
  EXPECT_TRUE(used->take(0).values.empty());
}

TEST(UsedColumns, AreKeptByArraysThatLiveLonger) {
  ArrowArray array;
  {
    const auto used = std::make_shared<UsedColumns>(2);
    export_array(two_columns(1), 1'000, array, used);
  }
  array.release(&array);
  EXPECT_EQ(array.release, nullptr);
}

TEST(UsedColumns, AreFewWhereManyWereTaken) {
  UsedColumns used(1);
  constexpr int kMany = 1'000;
  for (int i = 0; i < kMany; ++i) used.give(0, std::move(two_columns(1)[0]));
  int kept = 0;
  while (!used.take(0).values.empty()) ++kept;
  EXPECT_GT(kept, 0);
  EXPECT_LT(kept, kMany / 10);
}

}  // namespace
}  // namespace warpmeter
