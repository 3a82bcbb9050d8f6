// Kernels behind the sort of a batch by flow: where the run of each flow begins, and which segments the device leaves
// to the CPU.
#pragma once

#include "atomic.cuh"
#include "batch_view.cuh"
#include "core/tile.h"
#include "flow_table.cuh"

namespace warpmeter {

// The place in a list for each lane that has something to add to it, beside each other: the tile asks `count`, which
// all tiles ask, once. REQUIRES: all lanes call it.
template <class Tile>
WARPMETER_HD std::uint32_t place_in_list(Tile& tile, bool adds, std::uint32_t* count) {
  const std::uint32_t adding = tile.ballot(adds);
  if (adding == 0) return 0;
  const std::uint32_t first = tile.shfl(tile.rank() == 0 ? fetch_add(count, count_bits(adding)) : 0, 0);
  return first + count_bits(adding & ((std::uint32_t{1} << tile.rank()) - 1));
}

// A tile as many elements of the sorted flow ids as it has lanes: lists where the run of a flow begins, in no order.
struct ListRuns {
  const std::uint32_t* flow;  // sorted
  std::uint32_t elements;
  std::uint32_t no_flow;
  std::uint32_t* run;
  std::uint32_t* count;

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t group) const {
    const std::uint32_t s = group * Tile::kSize + tile.rank();
    const bool begins = s < elements && flow[s] != no_flow && (s == 0 || flow[s - 1] != flow[s]);
    const std::uint32_t place = place_in_list(tile, begins, count);
    if (begins) run[place] = s;
  }
};

}  // namespace warpmeter
