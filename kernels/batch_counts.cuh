// What the kernels of a batch count, with the room for flows, which stays from batch to batch: side by side in device
// memory, so that one copy at the end of a batch tells the host all of it. One batch is computed at a time, so there is
// one of these.
#pragma once

#include <cstdint>

#include "core/tile.h"
#include "flow_table.cuh"
#include "hole_pool.cuh"

namespace warpmeter {

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
