// The one source of chance. The same seed gives the same capture on every machine, which the standard library's
// distributions do not promise; so the generator (xoshiro256**, Blackman and Vigna) and its uses are spelled out here.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace traffic_gen {

class Random {
 public:
  explicit Random(uint64_t seed) {
    for (uint64_t& word : state_) {  // splitmix64: no seed leads to the forbidden all-zero state
      seed += 0x9e3779b97f4a7c15;
      uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
      z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
      word = z ^ (z >> 31);
    }
  }

  uint64_t bits() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // 0 .. limit-1; limit up to 2^32.
  uint64_t below(uint64_t limit) { return ((bits() >> 32) * limit) >> 32; }

  // first .. last, both included.
  uint64_t between(uint64_t first, uint64_t last) { return first + below(last - first + 1); }

  // 0 <= x < 1
  double real() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

  bool chance(double share) { return real() < share; }

  // Heavy-tailed with the given mean; shape 1.3 is what measured connection sizes show.
  double pareto(double mean) {
    constexpr double kShape = 1.3;
    const double smallest = mean * (kShape - 1) / kShape;
    return smallest / std::pow(1 - real(), 1 / kShape);
  }

 private:
  uint64_t state_[4];
};

}  // namespace traffic_gen
