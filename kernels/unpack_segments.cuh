// The first kernel of a batch: its columns, from what came over the bus, behind those of the last segments before it,
// which the duplicate check looks back at; and what is sorted. With it a batch begins. Where what follows is made for
// more segments than there are, the rest is padding.
//
// There is one sort for two purposes. Its keys are first the flow ids of segments, which later kernels find, then of
// each element some bits of its identity's hash, behind all flow ids. So what comes out is first the segments by flow,
// and behind them the elements by identity.
#pragma once

#include "batch_counts.cuh"
#include "core/identity.h"
#include "core/packed_segment.h"
#include "core/tile.h"
#include "rehash_flow_table.cuh"

namespace warpmeter {

// The columns of a batch, at its first segment.
struct BatchColumns {
  FlowKey* key;
  std::uint64_t* hash;
  Segment* segment;
  std::uint64_t* number;  // packet number
};

// A thread an element p: element p - before of the columns, and padding from before + count on.
struct UnpackSegments {
  static constexpr unsigned kBlocks = 6;  // what one thread does at the beginning would take registers of all

  const PackedSegment* packed;
  const std::uint64_t* words;  // behind the last one
  std::uint64_t first_number;  // of frame 0
  HashSeed seed;
  IdentitySeed identity_seed;
  BatchColumns to;
  BatchColumns previous_end;  // behind the last segment of the batch before
  std::uint32_t before, count;
  std::uint32_t size;  // what follows takes for the count
  std::uint32_t no_flow;
  unsigned identity_bits;
  std::uint32_t* key;       // [size] flow ids, of which this writes those of padding; then of each p
  std::uint32_t* position;  // beside each key: [size] i, then p
  bool begins;              // not if something else of the batch came before
  ClearCounts clear;
  BeginBatch begin;

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t p) const {
    if (p == 0) begin_batch(tile);
    const std::int64_t i = static_cast<std::int64_t>(p) - before;
    position[std::uint64_t{size} + p] = p;
    if (i >= 0 && i < size) position[i] = static_cast<std::uint32_t>(i);
    if (i >= count) return pad(p, i);
    if (i < 0) keep(i);
    else unpack_one(i);
    set_identity(p, identity_hash(to.hash[i], to.segment[i], identity_seed));
  }

 private:
  template <class Tile>
  WARPMETER_HD void begin_batch(Tile& tile) const {
    if (begins) {
      clear(tile, 0);
      begin(tile, 0);
    }
    clear.counts->segments = count;
    clear.counts->before = before;
  }

  WARPMETER_HD void pad(std::uint32_t p, std::int64_t i) const {
    set_identity(p, 0);  // whatever it is: padding stands behind all segments that look back
    if (i < size) key[i] = no_flow;
  }

  WARPMETER_HD void set_identity(std::uint32_t p, std::uint64_t hash) const {
    key[std::uint64_t{size} + p] = no_flow + 1 + static_cast<std::uint32_t>(hash >> (64 - identity_bits));
  }

  WARPMETER_HD void keep(std::int64_t i) const {
    to.key[i] = previous_end.key[i];
    to.hash[i] = previous_end.hash[i];
    to.segment[i] = previous_end.segment[i];
    to.number[i] = previous_end.number[i];
  }

  WARPMETER_HD void unpack_one(std::int64_t i) const {
    const KeyedSegment unpacked = unpack(packed[i], words);
    set_key(unpacked.key, to.key[i]);
    to.hash[i] = seeded_hash_of(unpacked.key, seed);
    to.segment[i] = unpacked.segment;
    to.number[i] = first_number + unpacked.segment.frame;
  }
};

}  // namespace warpmeter
