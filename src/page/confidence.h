// How much a share of a few says: where it lies with 95 % confidence.
//
// Wilson's score interval, two-sided, 95 % (E. B. Wilson: Probable Inference, the Law of Succession, and Statistical
// Inference. J. Am. Stat. Assoc. 22 (1927), 209-212). Unlike the usual p +- z sqrt(p (1 - p) / n) it holds for small
// numbers and for shares near 0 and 1. 27 of 89 are 30 % and at least 22 %, 2 of 3 are 67 % and at least 21 %.
#pragma once

#include <cstdint>
#include <string>

namespace warpmeter {

// Standard deviations that hold 95 % of a normal distribution.
inline constexpr double kSure = 1.959963984540054;

// As many as hold, with 95 % confidence, for all of so many shares at once: among thousands the most unlucky one is far
// from its own. (Bonferroni's correction; what lies beyond z is at most exp(-z^2 / 2).) REQUIRES: not 0.
double sure_of_all(std::uint64_t shares);

// The ends of the interval, 0 to 1. `part` beyond `whole`, which only a broken input has, counts as all of it; of
// nothing, every share is possible.
double at_least(std::uint64_t part, std::uint64_t whole, double z = kSure);
double at_most(std::uint64_t part, std::uint64_t whole);

// "22 %"; plain text.
std::string at_least_percent(std::uint64_t part, std::uint64_t whole);

}  // namespace warpmeter
