// Sums of numbers that a file may hold, and no traffic has.
#include "flow/runs/record_cursors.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

FlowRecord with_bytes(std::uint64_t bytes) {
  FlowRecord record;
  record.packets = 1;
  record.bytes = bytes;
  return record;
}

std::uint64_t sum_of(std::uint64_t a, std::uint64_t b, int more = 0) {
  FlowRecord sum = with_bytes(a);
  for (int i = 0; i <= more; ++i) add_saturated(sum, with_bytes(b));
  EXPECT_EQ(sum.packets, 2U + static_cast<unsigned>(more));
  return sum.bytes;
}

TEST(SaturatedCounters, SumWhatHasRoom) {
  EXPECT_EQ(sum_of(1, 2), 3U);
  EXPECT_EQ(sum_of(INT64_MAX - 5, 5), static_cast<std::uint64_t>(INT64_MAX));
}

TEST(SaturatedCounters, StayAtTheLargest) {
  constexpr std::uint64_t kLargest = INT64_MAX;
  EXPECT_EQ(sum_of(kLargest, 1), kLargest);
  EXPECT_EQ(sum_of(kLargest, kLargest, 5), kLargest);
  EXPECT_EQ(sum_of(UINT64_MAX, UINT64_MAX), kLargest);
  EXPECT_EQ(sum_of(UINT64_MAX, 1), kLargest);
}

}  // namespace
}  // namespace warpmeter
