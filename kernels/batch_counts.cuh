// What the kernels of a batch count, with the room for flows, which stays from batch to batch: side by side in device
// memory, so that one copy at the end of a batch tells the host all of it. One batch is computed at a time, so there is
// one of these.
#pragma once

#include <cstdint>

#include "atomic.cuh"
#include "core/tile.h"
#include "flow_table.cuh"
#include "hole_pool.cuh"

namespace warpmeter {

// The segments of a batch that the CPU has to meter, in no order: of keys that found no room, and of flows that it took
// over. They are few, if any. Of each:
// its position in the batch, and whether it is a duplicate.
class OverflowSegment {
 public:
  OverflowSegment() = default;
  // REQUIRES: position < 2^31, as that of all batches.
  WARPMETER_HD OverflowSegment(std::uint32_t position, bool is_duplicate) : bits_(position << 1 | is_duplicate) {}
  WARPMETER_HD std::uint32_t position() const { return bits_ >> 1; }
  WARPMETER_HD bool is_duplicate() const { return bits_ & 1; }
  bool operator<(OverflowSegment other) const { return bits_ < other.bits_; }  // by position

 private:
  std::uint32_t bits_;
};

struct OverflowList {
  OverflowSegment* segment;  // room for the whole batch
  std::uint32_t* count;

  WARPMETER_HD void add(std::uint32_t position, bool is_duplicate) const {
    segment[fetch_add(count, 1)] = OverflowSegment(position, is_duplicate);
  }
};

struct BatchCounts {
  std::uint32_t segments, before;  // of the batch, and those before it: written by its first kernel
  std::uint32_t leaving;
  std::uint32_t idle;  // of these, flows that were idle; counted on when there is no more room for them
  std::uint32_t overflow;
  std::uint32_t runs;
  std::uint32_t jumps;  // MeterCounters::jumps
  FlowRoom room;
};

// One thread alone, before anything else of a batch counts, gives blocks of holes back or takes them.
struct ClearCounts {
  BatchCounts* counts;
  HolePoolRef holes;  // method exact only

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t) const {
    counts->segments = counts->before = 0;
    counts->leaving = counts->idle = counts->overflow = counts->runs = counts->jumps = 0;
    if (holes.counters) holes.recycle();
  }
};

}  // namespace warpmeter
