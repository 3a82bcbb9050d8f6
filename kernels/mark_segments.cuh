// The kernel that completes what is known of each segment before flows are metered: its flow id, or that the CPU has to
// meter it, and whether it is a mirror port's copy. Steps that have little to do with each other, but each alone would
// be a launch.
#pragma once

#include "batch_counts.cuh"
#include "find_duplicates.cuh"
#include "find_flows.cuh"
#include "overflow_list.cuh"

namespace warpmeter {

// A thread an element of the sorted order of identities, padding among them.
struct MarkSegments {
  SettleFlows flows;
  FindDuplicates copies;  // of the same batch
  OverflowList overflow;
  const BatchCounts* counts;

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t sorted) const {
    FindDuplicates check = copies;
    check.batch.before = counts->before;
    const std::int64_t position = check.position_of(sorted);
    if (position < 0 || position >= counts->segments) return;
    const auto i = static_cast<std::uint32_t>(position);
    flows(tile, i);
    check(tile, sorted);
    const BatchView& batch = flows.batch;
    if (batch.flow[i] == batch.no_flow) overflow.add(i, batch.mark[i] & kDuplicate);
  }
};

}  // namespace warpmeter
