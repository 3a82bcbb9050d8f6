// The kernel that completes what is known of each segment before flows are metered: its flow id, and whether it is a
// mirror port's copy. Two steps that have nothing to do with each other, but each alone would be a launch.
#pragma once

#include "find_duplicates.cuh"
#include "find_flows.cuh"

namespace warpmeter {

// A thread an element of the sorted order of identities.
struct MarkSegments {
  SettleFlows flows;
  FindDuplicates copies;  // of the same batch

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t sorted) const {
    const std::int64_t i = copies.position_of(sorted);
    if (i < 0) return;
    flows(tile, static_cast<std::uint32_t>(i));
    copies(tile, sorted);
  }
};

}  // namespace warpmeter
