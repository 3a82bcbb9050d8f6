// Holes: the sequence numbers between a flow's lowest and highest end that no segment has carried yet. A flow without
// loss or reordering has none, which is why holes are kept and not what was seen.
//
// A HoleArray is a view of a caller-owned array: sorted, disjoint, non-touching, non-empty half-open intervals of
// unwrapped sequence numbers. Functions that may add a hole need `capacity` for one more than `count`; no call adds
// more than one. Times: O(log n) to look, O(n) to close a hole in the middle, O(1) at the top, where nearly all
// happens.
#pragma once

#include <cstdint>

#include "warpmeter/hd.h"

namespace warpmeter {

struct Hole {
  std::int64_t begin;
  std::int64_t end;
};

struct HoleArray {
  Hole* hole;
  std::uint32_t count;
  std::uint32_t capacity;
};

// Index of the first hole that ends after `number`.
WARPMETER_HD inline std::uint32_t first_hole_after(const HoleArray& holes, std::int64_t number) {
  std::uint32_t low = 0, high = holes.count;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (holes.hole[middle].end > number) high = middle;
    else low = middle + 1;
  }
  return low;
}

// How many of [begin, end) lie in holes.
WARPMETER_HD inline std::int64_t missing_between(const HoleArray& holes, std::int64_t begin, std::int64_t end) {
  std::int64_t missing = 0;
  for (std::uint32_t i = first_hole_after(holes, begin); i < holes.count && holes.hole[i].begin < end; ++i) {
    const std::int64_t from = holes.hole[i].begin > begin ? holes.hole[i].begin : begin;
    const std::int64_t to = holes.hole[i].end < end ? holes.hole[i].end : end;
    missing += to - from;
  }
  return missing;
}

WARPMETER_HD inline std::int64_t missing_in_all(const HoleArray& holes) {
  std::int64_t missing = 0;
  for (std::uint32_t i = 0; i < holes.count; ++i) missing += holes.hole[i].end - holes.hole[i].begin;
  return missing;
}

// Adds [begin, end) above all holes; it may touch the last one.
WARPMETER_HD inline void add_highest_hole(HoleArray& holes, std::int64_t begin, std::int64_t end) {
  if (holes.count && holes.hole[holes.count - 1].end == begin) holes.hole[holes.count - 1].end = end;
  else holes.hole[holes.count++] = {begin, end};
}

WARPMETER_HD inline void move_holes(HoleArray& holes, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t moved = holes.count - from;
  if (to > from) {
    for (std::uint32_t i = moved; i-- > 0;) holes.hole[to + i] = holes.hole[from + i];
  } else {
    for (std::uint32_t i = 0; i < moved; ++i) holes.hole[to + i] = holes.hole[from + i];
  }
  holes.count += to - from;
}

// Adds [begin, end) below all holes; it may touch the first one.
WARPMETER_HD inline void add_lowest_hole(HoleArray& holes, std::int64_t begin, std::int64_t end) {
  if (holes.count && holes.hole[0].begin == end) {
    holes.hole[0].begin = begin;
    return;
  }
  move_holes(holes, 0, 1);
  holes.hole[0] = {begin, end};
}

// Would seeing [begin, end) make two holes of one?
WARPMETER_HD inline bool splits_hole(const HoleArray& holes, std::int64_t begin, std::int64_t end) {
  const std::uint32_t i = first_hole_after(holes, begin);
  return i < holes.count && holes.hole[i].begin < begin && holes.hole[i].end > end;
}

// [begin, end) was seen: takes it out of the holes.
WARPMETER_HD inline void fill_holes(HoleArray& holes, std::int64_t begin, std::int64_t end) {
  std::uint32_t i = first_hole_after(holes, begin);
  if (i == holes.count || holes.hole[i].begin >= end) return;
  if (holes.hole[i].begin < begin) {
    if (holes.hole[i].end > end) {  // in the middle of one hole, which becomes two
      move_holes(holes, i, i + 1);
      holes.hole[i].end = begin;
      holes.hole[i + 1].begin = end;
      return;
    }
    holes.hole[i++].end = begin;
  }
  std::uint32_t kept = i;
  while (kept < holes.count && holes.hole[kept].end <= end) ++kept;
  if (kept < holes.count && holes.hole[kept].begin < end) holes.hole[kept].begin = end;
  if (kept > i) move_holes(holes, kept, i);
}

}  // namespace warpmeter
