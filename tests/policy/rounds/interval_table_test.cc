// A number finds the rules whose ranges it lies in, at both ends of each and of all numbers.
#include "policy/rounds/rule_table.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace warpmeter {
namespace {

using Table = IntervalTable<std::uint64_t>;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

std::vector<std::size_t> rules_of(const Table& table, std::uint64_t number, std::size_t rules) {
  std::vector<std::size_t> found;
  for (std::size_t rule = 0; rule < rules; ++rule) {
    if (has_rule(table.rules_of(number), rule)) found.push_back(rule);
  }
  return found;
}

TEST(IntervalTable, HasBothEndsOfARange) {
  const Table table({{10, 20, 0}, {20, 30, 1}, {0, kMost, 2}, {kMost, kMost, 3}, {0, 0, 4}}, {5}, 6);
  using Rules = std::vector<std::size_t>;
  EXPECT_EQ(rules_of(table, 0, 6), (Rules{2, 4, 5}));
  EXPECT_EQ(rules_of(table, 9, 6), (Rules{2, 5}));
  EXPECT_EQ(rules_of(table, 10, 6), (Rules{0, 2, 5}));
  EXPECT_EQ(rules_of(table, 20, 6), (Rules{0, 1, 2, 5}));
  EXPECT_EQ(rules_of(table, 21, 6), (Rules{1, 2, 5}));
  EXPECT_EQ(rules_of(table, 31, 6), (Rules{2, 5}));
  EXPECT_EQ(rules_of(table, kMost - 1, 6), (Rules{2, 5}));
  EXPECT_EQ(rules_of(table, kMost, 6), (Rules{2, 3, 5}));
}

TEST(IntervalTable, WithoutRangesHasWhatAlwaysHolds) {
  const Table table({}, {1}, 2);
  EXPECT_EQ(rules_of(table, 0, 2), (std::vector<std::size_t>{1}));
  EXPECT_EQ(rules_of(table, kMost, 2), (std::vector<std::size_t>{1}));
}

// More rules than a word has bits; ranges over each other, of one number, and the same for several rules.
TEST(IntervalTable, AgreesWithLookingAtEachRange) {
  std::mt19937_64 random(47);
  for (int round = 0; round < 40; ++round) {
    const std::size_t rules = 1 + random() % 150;
    const std::uint64_t most = round % 2 ? 20 : kMost;
    const auto number = [&] { return most == kMost ? random() : random() % most; };
    std::vector<Table::Range> ranges;
    for (std::size_t i = random() % 60; i > 0; --i) {
      const std::uint64_t a = number(), b = random() % 4 ? number() : a;
      ranges.push_back({std::min(a, b), std::max(a, b), random() % rules});
    }
    std::vector<std::size_t> always;
    for (std::size_t i = random() % 3; i > 0; --i) always.push_back(random() % rules);
    const Table table(ranges, always, rules);
    std::vector<std::uint64_t> asked = {0, kMost};
    for (const auto& range : ranges) asked.insert(asked.end(), {range.low, range.low - 1, range.high, range.high + 1});
    for (const std::uint64_t of : asked) {
      for (std::size_t rule = 0; rule < rules; ++rule) {
        const bool in = std::ranges::any_of(
            ranges, [&](const auto& range) { return range.rule == rule && range.low <= of && of <= range.high; });
        const bool holds = in || std::ranges::find(always, rule) != always.end();
        ASSERT_EQ(has_rule(table.rules_of(of), rule), holds) << round << ", number " << of << ", rule " << rule;
      }
    }
  }
}

TEST(IntervalTable, OfAddressesGoesOverBothHalves) {
  const AddressNumber last_low{5, kMost}, next_high{6, 0}, end{kMost, kMost};
  const IntervalTable<AddressNumber> table({{{5, 7}, last_low, 0}, {next_high, end, 1}}, {}, 2);
  EXPECT_FALSE(has_rule(table.rules_of({5, 6}), 0));
  EXPECT_TRUE(has_rule(table.rules_of({5, 7}), 0));
  EXPECT_TRUE(has_rule(table.rules_of(last_low), 0));
  EXPECT_FALSE(has_rule(table.rules_of(last_low), 1));
  EXPECT_FALSE(has_rule(table.rules_of(next_high), 0));
  EXPECT_TRUE(has_rule(table.rules_of(next_high), 1));
  EXPECT_TRUE(has_rule(table.rules_of(end), 1));
}

}  // namespace
}  // namespace warpmeter
