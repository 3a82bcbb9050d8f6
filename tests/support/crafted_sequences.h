// Families of data segments that somebody might prepare against a table of segments: flows by number, and sequence
// numbers; all segments of one family are different.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmeter::test {

struct CraftedSegment {
  std::uint32_t flow, sequence;
};

struct CraftedSequences {
  const char* name;
  CraftedSegment (*segment)(std::uint32_t);  // the n-th, n < 2^16
};

inline const std::vector<CraftedSequences>& crafted_sequences() {
  static const std::vector<CraftedSequences> families = {
      {"one flow, byte by byte",
       [](std::uint32_t n) {
         return CraftedSegment{7, n};
       }},
      {"one flow, segment by segment",
       [](std::uint32_t n) {
         return CraftedSegment{7, 1460 * n};
       }},
      {"one flow, high bits",
       [](std::uint32_t n) {
         return CraftedSegment{7, n << 16};
       }},
      {"one number of all flows",
       [](std::uint32_t n) {
         return CraftedSegment{n, 1000};
       }},
      {"the flow's number",
       [](std::uint32_t n) {
         return CraftedSegment{n, n};
       }},
      {"the flow's number, inverted",
       [](std::uint32_t n) {
         return CraftedSegment{n, ~n};
       }},
      {"high bits of many flows",
       [](std::uint32_t n) {
         return CraftedSegment{n % 256, n / 256 << 20};
       }},
      {"zero factors",
       [](std::uint32_t n) {
         return CraftedSegment{n % 256, 0x9e3779b9u ^ n / 256};
       }},
  };
  return families;
}

// How far from its place each lies on average in a table with linear probing, `slots` a power of two. `places`: where
// each should lie.
inline double mean_distance(const std::vector<std::uint64_t>& places, std::uint64_t slots) {
  std::vector<bool> used(slots);
  std::uint64_t distance = 0;
  for (const std::uint64_t place : places) {
    std::uint64_t at = place & (slots - 1);
    for (; used[at]; at = (at + 1) & (slots - 1)) ++distance;
    used[at] = true;
    if (distance > 1000 * places.size()) break;  // no need to know more
  }
  return static_cast<double>(distance) / static_cast<double>(places.size());
}

}  // namespace warpmeter::test
