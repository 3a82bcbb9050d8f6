#include "analysis/page/confidence.h"

#include <algorithm>
#include <cmath>

#include "analysis/page/words.h"

namespace warpmeter::inline analysis {

namespace {

// The continued fraction of the incomplete beta function, by Lentz's method. It converges fast for x < (a + 1) / (a + b
// + 2), after some multiple of the square root of max(a, b) steps.
double continued_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300, kExact = 1e-14;
  constexpr int kMostSteps = 1'000'000;
  const auto not_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), product = d;
  const auto step = [&](double term) {
    d = 1 / not_zero(1 + term * d);
    c = not_zero(1 + term / c);
    product *= d * c;
  };
  for (int i = 1; i < kMostSteps; ++i) {
    const double m = i;
    step(m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)));
    step(-(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)));
    if (std::abs(d * c - 1) < kExact) break;
  }
  return product;
}

// std::lgamma() writes a global variable; of a positive number it needs not.
double log_gamma(double x) {
  int sign;
  return lgamma_r(x, &sign);
}

// How probable at least `a` successes are of `a + b - 1` trials that succeed with probability x: the regularized
// incomplete beta function. REQUIRES: a, b > 0, 0 < x < 1.
double incomplete_beta(double a, double b, double x) {
  const double log_front = log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x);
  if (x < (a + 1) / (a + b + 2)) return std::exp(log_front) * continued_fraction(a, b, x) / a;
  return 1 - std::exp(log_front) * continued_fraction(b, a, 1 - x) / b;
}

}  // namespace

double at_least(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return 0;
  constexpr double z = kSure;
  const double n = static_cast<double>(whole), share = static_cast<double>(std::min(part, whole)) / n;
  const double middle = share + z * z / (2 * n);
  const double half = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return std::max(0.0, (middle - half) / (1 + z * z / n));
}

double at_most(std::uint64_t part, std::uint64_t whole) { return 1 - at_least(whole - std::min(part, whole), whole); }

double exactly_at_least(double part, double whole, double error) {
  constexpr double kMostTrials = 1e8;
  constexpr int kHalvings = 60;
  if (!(part > 0 && whole > 0)) return 0;
  part = std::min(part, whole);
  if (whole > kMostTrials) {
    part *= kMostTrials / whole;
    whole = kMostTrials;
  }
  double low = 0, high = part / whole;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (incomplete_beta(part, whole - part + 1, middle) < error ? low : high) = middle;
  }
  return low;
}

double exactly_at_most(double part, double whole, double error) {
  return 1 - exactly_at_least(whole - std::min(part, whole), whole, error);
}

std::string at_least_percent(std::uint64_t part, std::uint64_t whole) {
  constexpr double kSteps = 1e9;  // finer than any percentage that is written
  const double share = at_least(part, whole);
  return words::percent(static_cast<std::uint64_t>(std::llround(share * kSteps)), static_cast<std::uint64_t>(kSteps));
}

}  // namespace warpmeter::inline analysis
