// How late frames come that a kernel collects in blocks, and hands over when a block is full or some time has passed.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <chrono>

namespace warpmeter::inline packet {

// The kernel looks once in this time whether a block has waited for long enough, so that one may wait twice as long;
// and a busy machine does so late.
constexpr std::chrono::milliseconds delay_of_block(std::chrono::milliseconds block_time) {
  constexpr std::chrono::milliseconds kMostLate{50};
  return 2 * block_time + std::min(3 * block_time, kMostLate);
}

// The longest for which that is within `delay`.
constexpr std::chrono::milliseconds block_time_within(std::chrono::milliseconds delay) {
  std::chrono::milliseconds longest = delay / 2;
  while (longest.count() > 0 && delay_of_block(longest) > delay) --longest;
  return longest;
}

}  // namespace warpmeter::inline packet
