// Unwrapping of TCP sequence numbers (sections 6 and 10.31 of the definitions).
#include "warpmeter/sequence.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

constexpr std::int64_t kWrap = std::int64_t{1} << 32;
constexpr std::int64_t kHalf = std::int64_t{1} << 31;

TEST(Sequence, NearNumbersStayWhereTheyAre) {
  EXPECT_EQ(unwrap(1000, 1000), 1000);
  EXPECT_EQ(unwrap(1001, 1000), 1001);
  EXPECT_EQ(unwrap(999, 1000), 999);
}

TEST(Sequence, SmallNumberAfterALargeOneHasWrapped) { EXPECT_EQ(unwrap(5, 0xfffffff0), kWrap + 5); }

TEST(Sequence, LargeNumberAfterASmallOneIsFromBeforeTheWrap) {
  EXPECT_EQ(unwrap(0xfffffff0, kWrap + 5), 0xfffffff0);
  EXPECT_EQ(unwrap(0xfffffff0, 5), -16);
}

TEST(Sequence, HalfTheRangeIsBelow) {
  EXPECT_EQ(unwrap(0x80000000, 0), -kHalf);
  EXPECT_EQ(unwrap(0, kHalf), 0);
  EXPECT_EQ(unwrap(100, kHalf + 100), 100);
}

TEST(Sequence, OneLessThanHalfTheRangeIsAbove) { EXPECT_EQ(unwrap(0x7fffffff, 0), kHalf - 1); }

TEST(Sequence, OneMoreThanHalfTheRangeIsBelow) { EXPECT_EQ(unwrap(0x80000001, 0), -kHalf + 1); }

TEST(Sequence, WorksAfterManyWraps) {
  EXPECT_EQ(unwrap(7, 1000 * kWrap), 1000 * kWrap + 7);
  EXPECT_EQ(unwrap(0xffffffff, 1000 * kWrap), 1000 * kWrap - 1);
}

TEST(Sequence, WorksBelowZero) {
  EXPECT_EQ(unwrap(0, -1), 0);
  EXPECT_EQ(unwrap(0xfffffffe, -1), -2);
  EXPECT_EQ(unwrap(3, -kWrap), -kWrap + 3);
}

}  // namespace
}  // namespace warpmeter::test
