// What sequence numbers can be taken together, at the limits of 32 bits.
#include "core/segment_sum.h"

#include <gtest/gtest.h>

#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kMost = InOrderNumbers::kMostLength;

bool appends(InOrderNumbers earlier, const InOrderNumbers& later, std::uint32_t length) {
  const bool appended = earlier.append(later);
  return appended && earlier.length == length;
}

TEST(InOrderNumbers, AppendUpToHalfOfAllNumbers) {
  static_assert(kMost == std::uint32_t{1} << 31);
  EXPECT_TRUE(appends({5, kMost - 2}, {5 + kMost - 2, 1}, kMost - 1));
  EXPECT_FALSE(appends({5, kMost - 2}, {5 + kMost - 2, 2}, kMost));
  EXPECT_TRUE(appends({5, 0}, {5, kMost - 1}, kMost - 1));
  EXPECT_FALSE(appends({5, 1}, {6, kMost - 1}, kMost));
  EXPECT_TRUE(appends({5, kMost - 1}, {5 + kMost - 1, 0}, kMost - 1));
  EXPECT_FALSE(appends({5, kMost - 1}, {5 + kMost - 1, kMost - 1}, 2 * kMost - 2));
}

TEST(InOrderNumbers, AppendOverTheWrap) {
  EXPECT_TRUE(appends({0u - 10, 10}, {0, 7}, 17));
  EXPECT_TRUE(appends({0u - 10, 15}, {5, 7}, 22));
  EXPECT_FALSE(appends({0u - 10, 10}, {1, 7}, 17));
  EXPECT_FALSE(appends({0u - 10, 10}, {0u - 1, 7}, 17));
}

TEST(InOrderNumbers, OfNothingStillHaveAPlace) {
  EXPECT_TRUE(appends({5, 0}, {5, 0}, 0));
  EXPECT_FALSE(appends({5, 0}, {6, 0}, 0));
  EXPECT_FALSE(appends({5, 0}, {4, 0}, 0));
}

TEST(InOrderNumbers, AreThoseOfTheSegment) {
  const InOrderNumbers numbers = InOrderNumbers::of(test_segment(0).tcp(77, 16, 5), false);
  EXPECT_EQ(numbers.begin, 77u);
  EXPECT_EQ(numbers.length, 5u);
}

TEST(NearNumbers, OfASegmentCountItsRetransmission) {
  const Segment segment = test_segment(0).tcp(77, 16, 5);
  const NearNumbers once = NearNumbers::of(segment, false), again = NearNumbers::of(segment, true);
  EXPECT_EQ(once.retransmitted_segments, 0u);
  EXPECT_EQ(once.retransmitted_bytes, 0u);
  EXPECT_EQ(again.retransmitted_segments, 1u);
  EXPECT_EQ(again.retransmitted_bytes, 5u);
}

}  // namespace
}  // namespace warpmeter::test
