// Hole arrays, operation by operation.
#include "core/holes.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace warpmeter::test {
namespace {

using Intervals = std::vector<std::pair<std::int64_t, std::int64_t>>;

class HolesTest : public testing::Test {
 protected:
  void SetUp() override {
    add_highest_hole(holes_, 10, 20);
    add_highest_hole(holes_, 30, 40);
    add_highest_hole(holes_, 50, 60);
  }

  Intervals all() const {
    Intervals intervals;
    for (std::uint32_t i = 0; i < holes_.count; ++i) intervals.emplace_back(holes_.hole[i].begin, holes_.hole[i].end);
    return intervals;
  }

  Intervals after_fill(std::int64_t begin, std::int64_t end) {
    fill_holes(holes_, begin, end);
    return all();
  }

  Hole array_[8];
  HoleArray holes_{array_, 0, 8};
};

TEST_F(HolesTest, CountsWhatIsMissingBetween) {
  EXPECT_EQ(missing_between(holes_, 0, 100), 30);
  EXPECT_EQ(missing_between(holes_, 15, 35), 10);
  EXPECT_EQ(missing_between(holes_, 20, 30), 0);
  EXPECT_EQ(missing_between(holes_, 12, 13), 1);
  EXPECT_EQ(missing_between(holes_, 60, 90), 0);
  EXPECT_EQ(missing_between(holes_, 0, 10), 0);
  EXPECT_EQ(missing_in_all(holes_), 30);
}

TEST_F(HolesTest, FindsTheFirstHoleThatEndsAfterANumber) {
  EXPECT_EQ(first_hole_after(holes_, 19), 0u);
  EXPECT_EQ(first_hole_after(holes_, 20), 1u);
  EXPECT_EQ(first_hole_after(holes_, 59), 2u);
  EXPECT_EQ(first_hole_after(holes_, 60), 3u);
}

TEST_F(HolesTest, TouchingHighestHoleGrows) {
  add_highest_hole(holes_, 60, 70);
  EXPECT_EQ(all(), (Intervals{{10, 20}, {30, 40}, {50, 70}}));
}

TEST_F(HolesTest, NewLowestHoleMovesTheOthersUp) {
  add_lowest_hole(holes_, 1, 5);
  EXPECT_EQ(all(), (Intervals{{1, 5}, {10, 20}, {30, 40}, {50, 60}}));
}

TEST_F(HolesTest, TouchingLowestHoleGrows) {
  add_lowest_hole(holes_, 1, 10);
  EXPECT_EQ(all(), (Intervals{{1, 20}, {30, 40}, {50, 60}}));
}

TEST_F(HolesTest, FirstHoleOfAllIsLowestAndHighest) {
  holes_.count = 0;
  add_lowest_hole(holes_, 3, 4);
  EXPECT_EQ(all(), (Intervals{{3, 4}}));
}

TEST_F(HolesTest, FillingTheMiddleSplits) {
  EXPECT_EQ(after_fill(33, 35), (Intervals{{10, 20}, {30, 33}, {35, 40}, {50, 60}}));
}

TEST_F(HolesTest, FillingTheFrontOrBackShortens) {
  EXPECT_EQ(after_fill(30, 35), (Intervals{{10, 20}, {35, 40}, {50, 60}}));
  EXPECT_EQ(after_fill(55, 60), (Intervals{{10, 20}, {35, 40}, {50, 55}}));
}

TEST_F(HolesTest, FillingExactlyOneRemovesIt) { EXPECT_EQ(after_fill(30, 40), (Intervals{{10, 20}, {50, 60}})); }

TEST_F(HolesTest, FillingAcrossSeveralCutsTheOuterOnes) {
  EXPECT_EQ(after_fill(15, 55), (Intervals{{10, 15}, {55, 60}}));
}

TEST_F(HolesTest, FillingEverythingLeavesNothing) { EXPECT_EQ(after_fill(0, 100), Intervals{}); }

TEST_F(HolesTest, FillingWhatWasSeenChangesNothing) {
  const Intervals before = all();
  EXPECT_EQ(after_fill(20, 30), before);
  EXPECT_EQ(after_fill(0, 10), before);
  EXPECT_EQ(after_fill(60, 80), before);
}

TEST_F(HolesTest, OnlyTheInnerPartOfAHoleSplitsIt) {
  EXPECT_TRUE(splits_hole(holes_, 31, 39));
  EXPECT_FALSE(splits_hole(holes_, 30, 39));
  EXPECT_FALSE(splits_hole(holes_, 31, 40));
  EXPECT_FALSE(splits_hole(holes_, 15, 55));
  EXPECT_FALSE(splits_hole(holes_, 22, 28));
  EXPECT_FALSE(splits_hole(holes_, 70, 80));
}

}  // namespace
}  // namespace warpmeter::test
