// Wilson's interval, against his formula in another form: its ends are where the distance of the share from p is z
// standard deviations of p.
#include "page/confidence.h"

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

TEST(Confidence, InPercent) {
  EXPECT_EQ(at_least_percent(27, 89), "22 %");
  EXPECT_EQ(at_least_percent(2, 3), "21 %");
  EXPECT_EQ(at_least_percent(1, 10'000'000), "< 0.01 %");
  EXPECT_EQ(at_least_percent(0, 5), "0 %");
}

}  // namespace
}  // namespace warpmeter
