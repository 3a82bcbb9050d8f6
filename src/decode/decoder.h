// Decoding: a block of frames in, a batch of segments out.
#pragma once

#include <cstdint>
#include <span>

#include "warpmeter/counters.h"
#include "warpmeter/frame.h"
#include "warpmeter/segment_batch.h"

namespace warpmeter {

class PacketFilter;

// Immutable after construction: any number of threads may decode with one Decoder.
class Decoder {
 public:
  // `filter` may be null; otherwise it must outlive the Decoder. `hash_seed`: see flow_hash.h.
  Decoder(bool key_vlan, std::uint64_t hash_seed, const PacketFilter* filter)
      : key_vlan_(key_vlan), hash_seed_(hash_seed), filter_(filter) {}

  // Fills `batch` with the segments of `block`.
  void decode(const FrameBlock& block, SegmentBatch& batch, DecodeCounters& counters) const {
    batch.reset(block.first_number);
    append(block, batch, counters);
  }

  // Adds the segments of `block`, whose frames follow those that were decoded into `batch` before.
  void append(const FrameBlock& block, SegmentBatch& batch, DecodeCounters& counters) const {
    append(block, {&batch, 1}, counters);
  }

  // The same for several batches that share the segments by their shards.
  void append(const FrameBlock& block, std::span<SegmentBatch> batches, DecodeCounters& counters) const;

 private:
  const bool key_vlan_;
  const std::uint64_t hash_seed_;
  const PacketFilter* const filter_;
};

}  // namespace warpmeter
