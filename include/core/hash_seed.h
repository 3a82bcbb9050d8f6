// What keeps hashes of what the network brings safe from those who choose it: secret words, and sums of products with
// one in every factor.
//
// For two different inputs, chosen by whoever knows this code but not the words, sums of products modulo 2^128 are
// equal with a probability of at most 2^-64 (NH: Black et al., "UMAC: Fast and Secure Message Authentication"). An
// input that makes a factor 0 for more than one in 2^64 of all seeds does not exist. fold_multiply() makes 64 bits of a
// sum.
//
// No output depends on a seed. Plain values, usable from any thread.
#pragma once

#include <cstdint>

#include "warpmeter/hd.h"

namespace warpmeter {

struct HashSeed {
  static constexpr int kWords = 24;

  HashSeed() = default;
  // Words that follow from one number: for tests and benches. Secret ones: random_hash_seed().
  WARPMETER_HD constexpr HashSeed(std::uint64_t number) {
    for (std::uint64_t& w : word) {
      number += 0x9e3779b97f4a7c15u;
      w = (number ^ number >> 31) * 0xbf58476d1ce4e5b9u;
      w ^= w >> 29;
    }
  }
  friend bool operator==(const HashSeed&, const HashSeed&) = default;

  std::uint64_t word[kWords] = {};
};

using Wide = unsigned __int128;

WARPMETER_HD inline Wide wide_product(std::uint64_t a, std::uint64_t b) { return static_cast<Wide>(a) * b; }
WARPMETER_HD inline std::uint64_t low_half(Wide w) { return static_cast<std::uint64_t>(w); }
WARPMETER_HD inline std::uint64_t high_half(Wide w) { return static_cast<std::uint64_t>(w >> 64); }
WARPMETER_HD inline std::uint64_t fold(Wide w) { return low_half(w) ^ high_half(w); }

// Folded 64x64-bit multiplication, as in wyhash. Whoever chooses a factor must not know the other one.
WARPMETER_HD inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) { return fold(wide_product(a, b)); }

}  // namespace warpmeter
