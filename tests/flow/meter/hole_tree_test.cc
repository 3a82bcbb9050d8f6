// The tree of holes against the plain model, and its borders by hand.
#include "flow/meter/hole_tree.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "flow/meter/hole_model.h"

namespace warpmeter {
namespace {

HoleTree tree_of(std::vector<Hole> holes) {
  static HoleArrays arrays(*std::pmr::new_delete_resource());
  const auto count = static_cast<std::uint32_t>(holes.size());
  return HoleTree(arrays, HoleArray{holes.data(), count, count});
}

TEST(HoleTree, TakesOverAnArray) {
  const HoleTree tree = tree_of({{10, 20}, {30, 35}});
  EXPECT_EQ(tree.count(), 2u);
  EXPECT_EQ(tree.missing_in_all(), 15);
  EXPECT_EQ(tree.missing_between(0, 100), 15);
}

TEST(HoleTree, MissingBetweenCutsHolesAtBothEnds) {
  const HoleTree tree = tree_of({{10, 20}, {30, 35}});
  EXPECT_EQ(tree.missing_between(15, 32), 7);
  EXPECT_EQ(tree.missing_between(12, 13), 1);
  EXPECT_EQ(tree.missing_between(20, 30), 0);
  EXPECT_EQ(tree.missing_between(0, 10), 0);
  EXPECT_EQ(tree.missing_between(35, 99), 0);
}

TEST(HoleTree, TouchingHolesBecomeOne) {
  HoleTree tree = tree_of({{10, 20}});
  tree.add_highest(20, 25);
  tree.add_lowest(5, 10);
  EXPECT_EQ(tree.count(), 1u);
  EXPECT_EQ(tree.missing_in_all(), 20);
  tree.add_highest(26, 27);
  tree.add_lowest(3, 4);
  EXPECT_EQ(tree.count(), 3u);
}

TEST(HoleTree, FillSplitsShortensAndRemoves) {
  HoleTree tree = tree_of({{10, 20}, {30, 40}, {50, 60}});
  tree.fill(14, 16);
  EXPECT_EQ(tree.count(), 4u);
  EXPECT_EQ(tree.missing_in_all(), 28);
  tree.fill(18, 55);  // the rest of the first, all of the second, half of the third
  EXPECT_EQ(tree.count(), 3u);
  EXPECT_EQ(tree.missing_in_all(), 4 + 2 + 5);
  tree.fill(0, 100);
  EXPECT_EQ(tree.count(), 0u);
  EXPECT_EQ(tree.missing_in_all(), 0);
}

TEST(HoleTree, DropLowestForgetsTheWholeHole) {
  HoleTree tree = tree_of({{10, 20}, {30, 33}});
  tree.drop_lowest();
  EXPECT_EQ(tree.count(), 1u);
  EXPECT_EQ(tree.missing_in_all(), 3);
  EXPECT_EQ(tree.missing_between(0, 30), 0);
}

class TreeAndModel {
 public:
  explicit TreeAndModel(std::uint64_t seed) : random_(seed), tree_(tree_of({{0, 5}})) { model_.add(0, 5); }

  void step() {
    const auto choice = random_() % 10;
    if (choice < 3) add_highest();
    else if (choice < 5) add_lowest();
    else if (choice < 9) fill();
    else if (!model_.empty()) drop();
  }

  void check() {
    ASSERT_EQ(tree_.count(), model_.count());
    ASSERT_EQ(tree_.missing_in_all(), model_.total());
    for (int i = 0; i < 4; ++i) {
      const std::int64_t begin = somewhere(), end = begin + length();
      ASSERT_EQ(tree_.missing_between(begin, end), model_.missing(begin, end)) << begin << " " << end;
    }
  }

 private:
  std::int64_t length() { return 1 + static_cast<std::int64_t>(random_() % 12); }
  std::int64_t somewhere() {
    return bottom_ + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(top_ - bottom_));
  }

  void add_highest() {
    const std::int64_t begin = top_ + static_cast<std::int64_t>(random_() % 3);
    top_ = begin + length();
    tree_.add_highest(begin, top_);
    model_.add(begin, top_);
  }
  void add_lowest() {
    const std::int64_t end = bottom_ - static_cast<std::int64_t>(random_() % 3);
    bottom_ = end - length();
    tree_.add_lowest(bottom_, end);
    model_.add(bottom_, end);
  }
  void fill() {
    const std::int64_t begin = somewhere(), end = begin + length();
    tree_.fill(begin, end);
    model_.fill(begin, end);
  }
  void drop() {
    tree_.drop_lowest();
    model_.drop_lowest();
  }

  std::mt19937_64 random_;
  HoleTree tree_;
  test::HoleModel model_;
  std::int64_t bottom_ = 0, top_ = 5;
};

TEST(HoleTree, AgreesWithThePlainModel) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TreeAndModel both(seed);
    for (int i = 0; i < 400; ++i) {
      both.step();
      both.check();
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace warpmeter
