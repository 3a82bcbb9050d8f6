// Random operations on hole arrays against a plain set of missing numbers.
#include "core/holes.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

namespace warpmeter::test {
namespace {

class HolesModel {
 public:
  explicit HolesModel(unsigned seed) : random_(seed) {}

  void step() {
    switch (pick(0, 5)) {
      case 0: return add_highest();
      case 1: return add_lowest();
      default: return fill();
    }
  }

  void expect_same() {
    ASSERT_EQ(missing_in_all(view_), static_cast<std::int64_t>(missing_.size()));
    const auto [begin, end] = interval();
    ASSERT_EQ(missing_between(view_, begin, end), count(begin, end));
    std::set<std::int64_t> listed;
    for (std::uint32_t i = 0; i < view_.count; ++i) {
      ASSERT_LT(view_.hole[i].begin, view_.hole[i].end);
      ASSERT_TRUE(i == 0 || view_.hole[i - 1].end < view_.hole[i].begin) << "holes touch or overlap";
      for (std::int64_t n = view_.hole[i].begin; n < view_.hole[i].end; ++n) listed.insert(n);
    }
    ASSERT_EQ(listed, missing_);
  }

 private:
  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }

  std::pair<std::int64_t, std::int64_t> interval() {
    const std::int64_t begin = pick(lowest_ - 3, highest_ + 3);
    return {begin, begin + pick(1, 12)};
  }

  std::int64_t count(std::int64_t begin, std::int64_t end) const {
    return std::distance(missing_.lower_bound(begin), missing_.lower_bound(end));
  }

  // With or without a seen number before the hole.
  void add_highest() {
    const std::int64_t begin = highest_ + pick(0, 2), end = begin + pick(1, 9);
    add_highest_hole(view_, begin, end);
    for (std::int64_t n = begin; n < end; ++n) missing_.insert(n);
    highest_ = end;
  }

  void add_lowest() {
    const std::int64_t end = lowest_ - pick(0, 2), begin = end - pick(1, 9);
    add_lowest_hole(view_, begin, end);
    for (std::int64_t n = begin; n < end; ++n) missing_.insert(n);
    lowest_ = begin;
  }

  void fill() {
    const auto [begin, end] = interval();
    const std::uint32_t before = view_.count;
    const bool splits = splits_hole(view_, begin, end);
    fill_holes(view_, begin, end);
    EXPECT_EQ(view_.count > before, splits);
    missing_.erase(missing_.lower_bound(begin), missing_.lower_bound(end));
  }

  std::mt19937_64 random_;
  Hole array_[512];
  HoleArray view_{array_, 0, 512};
  std::set<std::int64_t> missing_;
  std::int64_t lowest_ = 0, highest_ = 0;
};

TEST(HolesModel, RandomOperationsAgreeWithAPlainSet) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    HolesModel model(seed);
    for (int i = 0; i < 200; ++i) {
      model.step();
      model.expect_same();
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << ", step " << i;
    }
  }
}

}  // namespace
}  // namespace warpmeter::test
