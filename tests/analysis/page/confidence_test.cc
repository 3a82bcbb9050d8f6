// Wilson's interval, against his formula in another form: its ends are where the distance of the share from p is z
// standard deviations of p.
#include "analysis/page/confidence.h"

#include <gtest/gtest.h>

#include <cmath>

namespace warpmeter {
namespace {

constexpr double kZ = 1.96;

// By halving: the smallest p that the share is not too far above.
double lower_end(double part, double n) {
  double low = 0, high = part / n;
  for (int i = 0; i < 100; ++i) {
    const double p = (low + high) / 2;
    (part / n - p > kZ * std::sqrt(p * (1 - p) / n) ? low : high) = p;
  }
  return low;
}

TEST(Confidence, IsWilsonsInterval) {
  for (const std::uint64_t n : {1, 2, 3, 10, 89, 1000, 1'000'000}) {
    for (const std::uint64_t part : {std::uint64_t{1}, n / 3, n / 2, n - 1, n}) {
      if (part == 0) continue;
      EXPECT_NEAR(at_least(part, n), lower_end(static_cast<double>(part), static_cast<double>(n)), 2e-5)
          << part << " of " << n;
      EXPECT_NEAR(at_most(n - part, n), 1 - at_least(part, n), 1e-12);
    }
  }
}

TEST(Confidence, ManySegmentsSayMoreThanFew) {
  EXPECT_GT(at_least(27, 89), at_least(2, 3));
  EXPECT_GT(at_least(2, 3), at_least(1, 1));
  EXPECT_GT(at_least(300, 1000), at_least(30, 100));
  EXPECT_LT(at_least(1'000'000, 2'000'000), 0.5);
  EXPECT_GT(at_least(1'000'000, 2'000'000), 0.499);
}

TEST(Confidence, WhatNobodySentSaysNothing) {
  EXPECT_EQ(at_least(0, 0), 0);
  EXPECT_EQ(at_most(0, 0), 1);
  EXPECT_EQ(at_least(0, 50), 0);
  EXPECT_EQ(at_least(7, 5), at_least(5, 5));  // of a broken input
  EXPECT_LT(at_most(0, 50), 0.08);
}

// From the sums of the binomial distribution themselves, in decimals of 60 digits.
TEST(Confidence, ExactBoundsAreThoseOfClopperAndPearson) {
  struct Case {
    double part, whole, error, at_least;
  };
  for (const Case& c : {Case{1, 1, 0.05, 0.05}, Case{27, 89, 0.025, 0.210349441351}, Case{27, 89, 1e-5, 0.127114267898},
                        Case{3, 300, 1e-3, 0.000637034872692}, Case{50, 300, 1e-6, 0.081086838174},
                        Case{299, 300, 0.01, 0.978078955351}, Case{300, 300, 0.05, 0.990063918056}}) {
    EXPECT_NEAR(exactly_at_least(c.part, c.whole, c.error), c.at_least, 1e-11) << c.part << " of " << c.whole;
    EXPECT_NEAR(exactly_at_most(c.whole - c.part, c.whole, c.error), 1 - c.at_least, 1e-11);
  }
}

TEST(Confidence, ExactBoundsOfAnyCountsHaveAnAnswer) {
  EXPECT_EQ(exactly_at_least(0, 0, 0.05), 0);
  EXPECT_EQ(exactly_at_least(0, 100, 0.05), 0);
  EXPECT_EQ(exactly_at_most(0, 0, 0.05), 1);
  EXPECT_EQ(exactly_at_most(100, 100, 0.05), 1);
  EXPECT_EQ(exactly_at_least(7, 5, 0.05), exactly_at_least(5, 5, 0.05));              // of a broken input
  EXPECT_GT(exactly_at_least(13.5, 44.5, 0.025), exactly_at_least(2.7, 8.9, 0.025));  // counts need not be whole
  EXPECT_LT(exactly_at_least(13.5, 44.5, 0.025), exactly_at_least(27, 89, 0.025));
  EXPECT_NEAR(exactly_at_least(5e17, 1e18, 1e-6), 0.5, 1e-3);
  EXPECT_LT(exactly_at_least(5e17, 1e18, 1e-6), 0.5);
  EXPECT_GE(exactly_at_least(1e-9, 1e18, 1e-9), 0);
}

TEST(Confidence, InPercent) {
  EXPECT_EQ(at_least_percent(27, 89), "22 %");
  EXPECT_EQ(at_least_percent(2, 3), "21 %");
  EXPECT_EQ(at_least_percent(1, 10'000'000), "< 0.01 %");
  EXPECT_EQ(at_least_percent(0, 5), "0 %");
}

}  // namespace
}  // namespace warpmeter
