#include "report/confidence.h"

#include <algorithm>
#include <cmath>

#include "report/words.h"

namespace warpmeter {

double at_least(std::uint64_t part, std::uint64_t whole) {
  constexpr double kZ = 1.959963984540054;  // standard deviations that hold 95 % of a normal distribution
  if (part == 0 || whole == 0) return 0;
  const double n = static_cast<double>(whole), share = static_cast<double>(std::min(part, whole)) / n;
  const double middle = share + kZ * kZ / (2 * n);
  const double half = kZ * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  return std::max(0.0, (middle - half) / (1 + kZ * kZ / n));
}

double at_most(std::uint64_t part, std::uint64_t whole) { return 1 - at_least(whole - std::min(part, whole), whole); }

std::string at_least_percent(std::uint64_t part, std::uint64_t whole) {
  constexpr double kSteps = 1e9;  // finer than any percentage that is written
  const double share = at_least(part, whole);
  return words::percent(static_cast<std::uint64_t>(std::llround(share * kSteps)), static_cast<std::uint64_t>(kSteps));
}

}  // namespace warpmeter
