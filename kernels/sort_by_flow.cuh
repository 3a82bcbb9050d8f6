// Kernels around the sort of a batch by flow: what is to be sorted, where the run of each flow begins afterwards, and
// which segments the device leaves to the CPU.
#pragma once

#include "batch_view.cuh"
#include "core/tile.h"

namespace warpmeter {

// A thread a segment: what is to be sorted by flow.
struct ListFlows {
  BatchView batch;
  std::uint32_t* flow;
  std::uint32_t* position;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    flow[i] = batch.flow[i];
    position[i] = i;
  }
};

// A thread an element of the sorted flow ids: marks where the run of a flow begins.
struct FindRuns {
  const std::uint32_t* flow;  // sorted
  std::uint32_t no_flow;
  std::uint8_t* begins;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t s) const {
    begins[s] = flow[s] != no_flow && (s == 0 || flow[s - 1] != flow[s]);
  }
};

// A thread a segment: marks those that the device did not meter.
struct SelectOverflow {
  BatchView batch;
  std::uint8_t* chosen;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    chosen[i] = batch.flow[i] == batch.no_flow;
  }
};

// A thread a segment that the device did not meter: is it a duplicate?
struct CopyDuplicates {
  BatchView batch;
  const std::uint32_t* position;
  std::uint8_t* duplicate;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t k) const {
    duplicate[k] = (batch.mark[position[k]] & kDuplicate) != 0;
  }
};

}  // namespace warpmeter
