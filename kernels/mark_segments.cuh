// The kernel behind the sort of a batch: which segments are a mirror port's copies, which of them the CPU has to meter,
// and where the run of each flow begins. Steps that have little to do with each other, but each alone would be a
// launch.
#pragma once

#include "batch_counts.cuh"
#include "find_duplicates.cuh"
#include "overflow_list.cuh"
#include "sort_by_flow.cuh"

namespace warpmeter {

// A tile as many elements of each sorted order as it has lanes, padding among them.
struct MarkSegments {
  FindDuplicates copies;
  std::uint32_t elements;  // by identity
  OverflowList overflow;
  ListRuns runs;  // of no more segments than there are elements
  const BatchCounts* counts;

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t group) const {
    const std::uint32_t sorted = group * Tile::kSize + tile.rank();
    if (sorted < elements) mark(tile, sorted);
    runs(tile, group);
  }

 private:
  template <class Tile>
  WARPMETER_HD void mark(Tile& tile, std::uint32_t sorted) const {
    FindDuplicates check = copies;
    check.batch.before = counts->before;
    const std::int64_t position = check.position_of(sorted);
    if (position < 0 || position >= counts->segments) return;
    check(tile, sorted);
    const BatchView& batch = check.batch;
    if (batch.flow[position] == batch.no_flow) {
      overflow.add(static_cast<std::uint32_t>(position), batch.mark[position] & kDuplicate);
    }
  }
};

}  // namespace warpmeter
