// The lanes of a warp, and sets of them.
#pragma once

#include <bit>
#include <cstdint>

namespace cuda_machine {

inline constexpr unsigned kLanes = 32;
using LaneMask = std::uint32_t;  // bit i: lane i
inline constexpr LaneMask kAllLanes = ~LaneMask{0};

inline unsigned lowest_lane(LaneMask mask) { return static_cast<unsigned>(std::countr_zero(mask)); }
inline LaneMask lane_bit(unsigned lane) { return LaneMask{1} << lane; }

// Calls f(lane) for each lane of the mask, upwards.
template <class F>
inline __attribute__((always_inline)) void for_each_lane(LaneMask mask, F f) {
  if (mask == kAllLanes) {  // a loop that compilers turn into vector instructions
    for (unsigned lane = 0; lane < kLanes; ++lane) f(lane);
  } else {
    for (; mask; mask &= mask - 1) f(lowest_lane(mask));
  }
}

}  // namespace cuda_machine
