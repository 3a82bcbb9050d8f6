// The kernel that makes columns of a batch as it comes over the bus.
#pragma once

#include <cstdint>

#include "core/packed_segment.h"
#include "core/tile.h"

namespace warpmeter {

// A thread a segment.
struct UnpackSegments {
  const PackedSegment* packed;
  const std::uint64_t* words;
  HashSeed seed;
  FlowKey* key;
  std::uint64_t* hash;
  Segment* segment;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const KeyedSegment unpacked = unpack(packed[i], words);
    set_key(unpacked.key, key[i]);
    hash[i] = seeded_hash_of(unpacked.key, seed);
    segment[i] = unpacked.segment;
  }
};

}  // namespace warpmeter
