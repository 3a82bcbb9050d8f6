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

// A segment that the CPU has to meter: its position in the batch, and whether it is a duplicate.
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

// A tile as many segments as it has lanes, at the end of the batch: lists those that the device did not meter, in no
// order, and keeps the room that there is then.
struct ListOverflow {
  BatchView batch;
  OverflowSegment* overflow;
  std::uint32_t* count;
  const FlowRoom* room;
  FlowRoom* room_then;

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t group) const {
    if (group == 0 && tile.rank() == 0) *room_then = *room;
    const std::uint32_t i = group * Tile::kSize + tile.rank();
    const bool is_left = i < batch.count && batch.flow[i] == batch.no_flow;
    const std::uint32_t place = place_in_list(tile, is_left, count);
    if (is_left) overflow[place] = OverflowSegment(i, batch.mark[i] & kDuplicate);
  }
};

}  // namespace warpmeter
