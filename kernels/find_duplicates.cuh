// Kernels that find the mirror port's copies (docs/definitions.md): hash the identities of the batch and of segments
// just before it, sort them stably by hash, and compare each with those before it that have the same hash. The next one
// before it with the same identity is the latest, since equal hashes stand in the order of arrival.
#pragma once

#include "batch_view.cuh"
#include "core/identity.h"
#include "core/tile.h"

namespace warpmeter {

// A thread an element, those before the batch included. Position p of the columns is p - before; numbers of the batch's
// packets are entered on the way.
struct HashIdentities {
  BatchView batch;
  IdentitySeed seed;
  std::uint32_t* hash;      // [before + count]
  std::uint32_t* position;  // [before + count]

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t p) const {
    const std::int64_t i = static_cast<std::int64_t>(p) - batch.before;
    const Segment& segment = batch.segment[i];
    if (i >= 0) batch.number[i] = batch.first_number + segment.frame;
    hash[p] = static_cast<std::uint32_t>(identity_hash(batch.hash[i], segment, seed) >> 32);
    position[p] = p;
  }
};

// A thread an element of the sorted order.
struct FindDuplicates {
  BatchView batch;
  const std::uint32_t* hash;
  const std::uint32_t* position;
  DuplicateOptions options;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t sorted) const {
    const std::int64_t i = static_cast<std::int64_t>(position[sorted]) - batch.before;
    if (i < 0 || !(batch.segment[i].kind & kHasIdentity)) return;
    if (is_duplicate(i, sorted)) batch.mark[i] |= kDuplicate;
  }

  WARPMETER_HD bool is_duplicate(std::int64_t i, std::uint32_t sorted) const {
    const Segment& segment = batch.segment[i];
    for (std::uint32_t s = sorted; s-- > 0 && hash[s] == hash[sorted];) {
      const std::int64_t earlier = static_cast<std::int64_t>(position[s]) - batch.before;
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

}  // namespace warpmeter
