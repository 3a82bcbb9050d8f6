// Unwrapping of TCP sequence numbers (sections 6 and 10.31 of the definitions).
#include "core/sequence_numbers.h"

#include <gtest/gtest.h>

#include <tuple>

#include "support/segment_maker.h"

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

TEST(Sequence, DistanceIsTheShorterWayRound) {
  EXPECT_EQ(sequence_distance(10, 15), 5);
  EXPECT_EQ(sequence_distance(15, 10), -5);
  EXPECT_EQ(sequence_distance(0xfffffff0, 5), 21);
  EXPECT_EQ(sequence_distance(5, 0x80000005), INT32_MIN);
}

TEST(Sequence, IsAtWhatItUnwrapsTo) {
  for (const std::int64_t highest : {std::int64_t{5}, std::int64_t{-1}, kWrap - 1, 7 * kWrap, 7 * kWrap + kHalf}) {
    for (const std::int64_t off : {-kHalf, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, kHalf - 1}) {
      const std::uint32_t sequence = on_wire(highest + off);
      EXPECT_EQ(unwrap(sequence, highest), highest + off);
      EXPECT_EQ(is_at(sequence, highest), off == 0);
    }
  }
}

TEST(Sequence, FollowsOverTheWrap) {
  EXPECT_TRUE(follows(5, 0xfffffff0, 21));
  EXPECT_FALSE(follows(6, 0xfffffff0, 21));
  EXPECT_TRUE(follows(77, 77, 0));
}

TEST(Sequence, NearIsLessThan2To28EitherWay) {
  EXPECT_TRUE(is_near(kNearNumbers - 1));
  EXPECT_TRUE(is_near(1 - kNearNumbers));
  EXPECT_FALSE(is_near(kNearNumbers));
  EXPECT_FALSE(is_near(-kNearNumbers));
}

TEST(SequenceSpan, SynAndFinTakeANumberEach) {
  const auto ends = [](std::uint8_t flags, std::uint32_t payload) {
    const SequenceSpan span = span_from(kWrap, test_segment(0).tcp(0, flags, payload));
    return std::tuple(span.start - kWrap, span.first_byte - kWrap, span.fin - kWrap, span.end - kWrap);
  };
  using Ends = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
  EXPECT_EQ(ends(kAck, 10), Ends(0, 0, 10, 10));
  EXPECT_EQ(ends(kSyn, 10), Ends(0, 1, 11, 11));
  EXPECT_EQ(ends(kFin, 10), Ends(0, 0, 10, 11));
  EXPECT_EQ(ends(kSyn | kFin, 0), Ends(0, 1, 1, 2));
}

TEST(SequenceSpan, HasAPlaceBesideWhatWasSeen) {
  const auto place = [](std::int64_t start, std::uint32_t payload) {
    return place_of(span_from(start, test_segment(0).tcp(0, kAck, payload)), 100, 200);
  };
  EXPECT_EQ(place(200, 10), SpanPlace::next);
  EXPECT_EQ(place(200, 0), SpanPlace::next);
  EXPECT_EQ(place(201, 0), SpanPlace::above);
  EXPECT_EQ(place(199, 50), SpanPlace::within);
  EXPECT_EQ(place(50, 50), SpanPlace::within);  // it touches
  EXPECT_EQ(place(50, 49), SpanPlace::below);
  EXPECT_EQ(place(50, 500), SpanPlace::within);
  EXPECT_EQ(place_of(span_from(100, test_segment(0).tcp(0, kAck, 5)), 100, 100), SpanPlace::next);
}

TEST(NumberRange, WithinAnother) {
  const NumberRange inner = NumberRange{10, 20}.within(15, 30);
  EXPECT_EQ(inner.begin, 15);
  EXPECT_EQ(inner.end, 20);
  EXPECT_FALSE(inner.empty());
  EXPECT_TRUE((NumberRange{10, 20}.within(20, 30).empty()));
  EXPECT_TRUE((NumberRange{10, 20}.within(0, 5).empty()));
}

}  // namespace
}  // namespace warpmeter::test
