#include "page/confidence.h"

#include <algorithm>
#include <cmath>

#include "page/words.h"

namespace warpmeter {

double sure_of_all(std::uint64_t shares) { return std::sqrt(2 * std::log(static_cast<double>(shares) / 0.05)); }

double at_least(std::uint64_t part, std::uint64_t whole, double z) {
  if (part == 0 || whole == 0) return 0;
  const double n = static_cast<double>(whole), share = static_cast<double>(std::min(part, whole)) / n;
  const double middle = share + z * z / (2 * n);
  const double half = z * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return std::max(0.0, (middle - half) / (1 + z * z / n));
}

double at_most(std::uint64_t part, std::uint64_t whole) { return 1 - at_least(whole - std::min(part, whole), whole); }

std::string at_least_percent(std::uint64_t part, std::uint64_t whole) {
  constexpr double kSteps = 1e9;  // finer than any percentage that is written
  const double share = at_least(part, whole);
  return words::percent(static_cast<std::uint64_t>(std::llround(share * kSteps)), static_cast<std::uint64_t>(kSteps));
}

}  // namespace warpmeter
