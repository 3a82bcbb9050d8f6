// The kernel behind the sort of a batch: which segments are a mirror port's copies, which of them the CPU has to meter,
// and where the run of each flow begins. Steps that have little to do with each other, but each alone would be a
// launch.
#pragma once

#include "atomic.cuh"
#include "batch_counts.cuh"
#include "batch_view.cuh"
#include "core/identity.h"
#include "core/tile.h"
#include "flow_table.cuh"

namespace warpmeter {

// Kernels behind the sort of a batch by flow: where the run of each flow begins, and which segments the device leaves
// to the CPU.

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

// The kernel that finds the mirror port's copies (docs/definitions.md): the identities of the batch and of segments
// just before it (unpack_segments.cuh) are sorted stably by hash, and each is compared with those before it that have
// the same hash. The next one before it with the same identity is the latest, since equal hashes stand in the order of
// arrival. The first one outside of the window ends the search. So the hashes need no more bits than tell the segments
// of a window apart: each pass of the sort takes 8 bits, and costs a launch, a fill, and a trip through memory.

// Bits of a hash that are sorted where the check looks at most so many segments back: few of these are alike in them.
inline unsigned identity_bits(std::uint32_t before) {
  constexpr unsigned kPass = 8, kFewest = 16, kMost = 24, kAlike = 2;  // as many as 2^kAlike
  unsigned bits = kFewest;
  while (bits < kMost && before >> (bits + kAlike)) bits += kPass;
  return bits;
}

// A thread an element of the sorted order.
struct FindDuplicates {
  BatchView batch;
  const std::uint32_t* hash;      // sorted
  const std::uint32_t* position;  // p: element p - before of the columns
  DuplicateOptions options;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t sorted) const {
    const std::int64_t i = position_of(sorted);
    if (i < 0 || !(batch.segment[i].kind & kHasIdentity)) return;
    if (is_duplicate(i, sorted)) batch.mark[i] |= kDuplicate;
  }

  // In the columns; negative: of a segment before the batch.
  WARPMETER_HD std::int64_t position_of(std::uint32_t sorted) const {
    return static_cast<std::int64_t>(position[sorted]) - batch.before;
  }

 private:
  WARPMETER_HD bool is_duplicate(std::int64_t i, std::uint32_t sorted) const {
    const Segment& segment = batch.segment[i];
    for (std::uint32_t s = sorted; s-- > 0 && hash[s] == hash[sorted];) {
      const std::int64_t earlier = position_of(s);
      if (batch.number[i] - batch.number[earlier] > options.window) return false;
      if (!is_same(earlier, i)) continue;
      return within_duplicate_gap(batch.segment[earlier], segment, options);
    }
    return false;
  }

  WARPMETER_HD bool is_same(std::int64_t a, std::int64_t b) const {
    return batch.hash[a] == batch.hash[b] && (batch.segment[a].kind & kHasIdentity) &&
           same_packet(batch.segment[a], batch.segment[b]) && batch.key[a] == batch.key[b];
  }
};

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
