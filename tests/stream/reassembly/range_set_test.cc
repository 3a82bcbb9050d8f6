// Ranges of numbers against a set of numbers.
#include "stream/reassembly/range_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace warpmeter {
namespace {

TEST(RangeSet, IsTheSetOfItsNumbers) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    RangeSet ranges(*std::pmr::get_default_resource());
    std::set<std::int64_t> numbers;
    for (int i = 0; i < 60; ++i) {
      const std::int64_t begin = static_cast<int>(random() % 100), end = begin + 1 + static_cast<int>(random() % 9);
      ranges.add(begin, end);
      for (std::int64_t n = begin; n < end; ++n) numbers.insert(n);
      if (i % 20 == 19) {
        ranges.drop_below(begin);
        while (!numbers.empty() && *numbers.begin() < begin && !ranges.covers(*numbers.begin(), *numbers.begin() + 1)) {
          numbers.erase(numbers.begin());
        }
      }
      const std::int64_t from = static_cast<int>(random() % 110), to = from + static_cast<int>(random() % 20);
      std::int64_t missing = from;
      while (missing < to && numbers.contains(missing)) ++missing;
      ASSERT_EQ(ranges.first_missing(from, to), missing);
      ASSERT_EQ(ranges.covers(from, to), missing == to);
      std::int64_t told = from;
      ranges.for_each_missing(from, to, [&](std::int64_t first, std::int64_t last) {
        ASSERT_LT(first, last);
        for (; told < first; ++told) ASSERT_TRUE(numbers.contains(told));
        for (; told < last; ++told) ASSERT_FALSE(numbers.contains(told));
      });
      for (; told < to; ++told) ASSERT_TRUE(numbers.contains(told));
    }
  }
}

TEST(RangeSet, RangesThatTouchAreOne) {
  RangeSet ranges(*std::pmr::get_default_resource());
  ranges.add(1, 3);
  ranges.add(5, 7);
  EXPECT_EQ(ranges.size(), 2u);
  ranges.add(3, 5);
  EXPECT_EQ(ranges.size(), 1u);
  EXPECT_TRUE(ranges.covers(1, 7));
  ranges.drop_below(7);
  EXPECT_EQ(ranges.size(), 0u);
}

}  // namespace
}  // namespace warpmeter
