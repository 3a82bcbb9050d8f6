// Sums over time: nothing is lost, whatever the durations, the order and the width in the end.
#include "analysis/page/time_series.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

namespace warpmeter {
namespace {

constexpr std::int64_t kMs = 1'000'000, kSecond = 1000 * kMs;

void add(TimeSeries& series, std::int64_t start, std::int64_t end, std::uint64_t value) {
  series.add(start, end, std::array{value});
}

TEST(TimeSeries, BeginsEmpty) {
  const TimeSeries series(1);
  EXPECT_EQ(series.size(), 0u);
  EXPECT_EQ(series.total(0), 0u);
  EXPECT_TRUE(series.values(0).empty());
}

TEST(TimeSeries, SpreadsEvenlyOverTheDuration) {
  TimeSeries series(1);
  add(series, kMs / 2, 3 * kMs + kMs / 2, 12);  // half a bucket, two whole ones, half a bucket
  const std::vector<double> values = series.values(0);
  ASSERT_EQ(values.size(), 4u);
  EXPECT_NEAR(values[0], 2, 1e-6);
  EXPECT_NEAR(values[1], 4, 1e-6);
  EXPECT_NEAR(values[2], 4, 1e-6);
  EXPECT_NEAR(values[3], 2, 1e-6);
  EXPECT_EQ(series.first_ms(), 0);
}

TEST(TimeSeries, CountsAMomentWhole) {
  TimeSeries series(1);
  add(series, 7 * kMs, 7 * kMs, 5);
  add(series, 9 * kMs, 8 * kMs, 3);  // an end before the start
  EXPECT_EQ(series.values(0), (std::vector<double>{5, 0, 3}));
}

TEST(TimeSeries, GrowsToBothSides) {
  TimeSeries series(1);
  add(series, 0, 0, 1);
  add(series, -3 * kMs, -3 * kMs, 2);
  add(series, 2 * kMs, 2 * kMs, 4);
  EXPECT_EQ(series.values(0), (std::vector<double>{2, 0, 0, 1, 0, 4}));
  EXPECT_EQ(series.first_ms(), -3);
}

TEST(TimeSeries, MergesBucketsWhenThereWouldBeTooMany) {
  TimeSeries series(1);
  for (int i = 0; i < 480; ++i) add(series, i * kMs, i * kMs, 1);
  EXPECT_EQ(series.width_ns(), kMs);
  EXPECT_EQ(series.size(), 480u);
  add(series, 480 * kMs, 480 * kMs, 1);
  EXPECT_EQ(series.width_ns(), 2 * kMs);
  ASSERT_EQ(series.size(), 241u);
  for (int i = 0; i < 240; ++i) EXPECT_EQ(series.values(0)[i], 2) << i;
  EXPECT_EQ(series.values(0)[240], 1);
}

TEST(TimeSeries, TakesWidthsThatPeopleCountIn) {
  TimeSeries series(1);
  add(series, 0, 0, 1);
  add(series, 3600 * kSecond, 3600 * kSecond, 1);
  EXPECT_EQ(series.width_ns(), 10 * kSecond);
  add(series, 86400 * kSecond, 86400 * kSecond, 1);
  EXPECT_EQ(series.width_ns(), 600 * kSecond);
}

// Against a reading of the definition with floating point and the final width.
TEST(TimeSeries, AgreesWithTheDefinition) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    struct Flow {
      std::int64_t start, end;
      std::uint64_t value;
    };
    std::vector<Flow> flows;
    TimeSeries series(2);
    std::uint64_t sum = 0;
    for (int i = 0; i < 300; ++i) {
      const auto start = static_cast<std::int64_t>(random() % (3000 * kSecond)) - 1000 * kSecond;
      const auto end = start + static_cast<std::int64_t>(random() % (std::uint64_t{1} << (random() % 42)));
      flows.push_back({start, end, random() % (std::uint64_t{1} << (random() % 45))});
      sum += flows.back().value;
      series.add(start, end, std::array{flows.back().value, std::uint64_t{1}});
    }
    EXPECT_EQ(series.total(0), sum);
    EXPECT_EQ(series.total(1), 300u);
    ASSERT_LE(series.size(), TimeSeries::kMostBuckets);

    const std::vector<double> got = series.values(0);
    const auto width = static_cast<double>(series.width_ns());
    for (std::size_t i = 0; i < got.size(); ++i) {
      const double begins = series.first_ms() * 1e6 + static_cast<double>(i) * width;
      double expected = 0;
      for (const Flow& flow : flows) {
        const auto from = static_cast<double>(flow.start), to = static_cast<double>(flow.end);
        const double common = std::min(to, begins + width) - std::max(from, begins);
        if (to > from) expected += static_cast<double>(flow.value) * std::max(0.0, common) / (to - from);
        else if (from >= begins && from < begins + width) expected += static_cast<double>(flow.value);
      }
      EXPECT_NEAR(got[i], expected, 1e-6 * static_cast<double>(sum)) << seed << " bucket " << i;
    }
  }
}

TEST(TimeSeries, SurvivesTimesAtTheEndsOfTheirType) {
  TimeSeries series(1);
  const std::int64_t least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  add(series, least, most, 1000);
  add(series, most, most, 1);
  add(series, least, least, 1);
  EXPECT_EQ(series.total(0), 1002u);
  EXPECT_LE(series.size(), TimeSeries::kMostBuckets);
  const std::vector<double> values = series.values(0);
  EXPECT_NEAR(std::accumulate(values.begin(), values.end(), 0.0), 1002, 1e-3);
}

}  // namespace
}  // namespace warpmeter
