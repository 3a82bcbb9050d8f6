// The number of a packet tells where it was observed.
#include "core/observed_points.h"

#include <gtest/gtest.h>

#include <string>

namespace warpmeter {
namespace {

TEST(ObservedPoints, TellsPointAndDirectionOfEachNumber) {
  ObservedPoints points;
  const std::uint32_t first = points.add("eth0", 3), second = points.add("shm:feeder", 0);
  for (const std::uint64_t packet : {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 50) + 12345}) {
    const auto in = points.of(observed_number(packet, place_of(first, false)));
    ASSERT_NE(in.point, nullptr);
    EXPECT_EQ(in.point->name(), "eth0");
    EXPECT_EQ(in.point->interface, 3u);
    EXPECT_FALSE(in.egress);
    const auto out = points.of(observed_number(packet, place_of(second, true)));
    ASSERT_NE(out.point, nullptr);
    EXPECT_EQ(out.point->name(), "shm:feeder");
    EXPECT_EQ(out.point->interface, second);  // never 0
    EXPECT_TRUE(out.egress);
  }
}

TEST(ObservedPoints, KnowsNothingOfOtherNumbers) {
  ObservedPoints points;
  points.add("eth0", 3);
  EXPECT_EQ(points.of(observed_number(4, 0)).point, nullptr);
  EXPECT_EQ(points.of(observed_number(4, place_of(2, true))).point, nullptr);
  EXPECT_FALSE(points.of(observed_number(4, place_of(2, true))).egress);
}

// Parts of a flow that begin with one packet are told apart by 1.
TEST(ObservedPoints, TheNextNumberIsOfTheSamePlace) {
  ObservedPoints points;
  const std::uint32_t point = points.add("eth0", 3);
  const auto next = points.of(observed_number(4, place_of(point, true)) + 1);
  ASSERT_NE(next.point, nullptr);
  EXPECT_TRUE(next.egress);
}

TEST(ObservedPoints, NumbersRiseWithPackets) {
  EXPECT_LT(observed_number(4, place_of(kMostObservedPoints, true)), observed_number(5, 0));
  EXPECT_EQ((observed_number(4, place_of(kMostObservedPoints, true)) - 1) >> kObservedBits, 4u);
}

TEST(ObservedPoints, TakesNamesThatNeedNoQuotes) {
  ObservedPoints points;
  const std::uint32_t point = points.add("a,\"b\n" + std::string(100, 'c'), 1);
  const auto place = points.of(observed_number(0, place_of(point, false)));
  EXPECT_EQ(place.point->name(), "a??b?" + std::string(59, 'c'));
}

TEST(ObservedPoints, TooManyHaveNoNumber) {
  ObservedPoints points;
  for (std::uint32_t i = 0; i < kMostObservedPoints; ++i) EXPECT_EQ(points.add("x", i), i + 1);
  EXPECT_EQ(points.add("one more", 1), 0u);
}

}  // namespace
}  // namespace warpmeter
