// How much a share of a few says: where it lies with some confidence.
//
// For lists, Wilson's score interval, two-sided, 95 % (E. B. Wilson: Probable Inference, the Law of Succession, and
// Statistical Inference. J. Am. Stat. Assoc. 22 (1927), 209-212). Unlike the usual p +- z sqrt(p (1 - p) / n) it holds
// for small numbers and for shares near 0 and 1. 27 of 89 are 30 % and at least 22 %, 2 of 3 are 67 % and at least 21
// %.
//
// For claims, exact binomial bounds, one-sided (C. J. Clopper, E. S. Pearson: The Use of Confidence or Fiducial Limits
// Illustrated in the Case of the Binomial. Biometrika 26 (1934), 404-413): Wilson's fall short where errors must be
// rare.
#pragma once

#include <cstdint>
#include <string>

namespace warpmeter::inline analysis {

// Standard deviations that hold 95 % of a normal distribution.
inline constexpr double kSure = 1.959963984540054;

// The ends of Wilson's interval, 0 to 1. `part` beyond `whole`, which only a broken input has, counts as all of it; of
// nothing, every share is possible.
double at_least(std::uint64_t part, std::uint64_t whole);
double at_most(std::uint64_t part, std::uint64_t whole);

// The exact bounds, each wrong with a probability of at most `error`. Counts need not be whole: they may have been
// divided by their dispersion. Above a hundred million they are taken as in that proportion to a hundred million, which
// makes the bounds a little wider. REQUIRES: 0 < error < 1.
double exactly_at_least(double part, double whole, double error);
double exactly_at_most(double part, double whole, double error);

// "22 %"; plain text.
std::string at_least_percent(std::uint64_t part, std::uint64_t whole);

}  // namespace warpmeter::inline analysis
