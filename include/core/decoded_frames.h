// Frames that were decoded before: a source that has segments gives them in place of frames, and the decoder passes
// them on.
//
// Threads: one at a time.
#pragma once

#include <span>

#include "core/counters.h"
#include "core/hash_seed.h"
#include "core/packed_batch.h"
#include "core/segment_batch.h"

namespace warpmeter {

class DecodedFrames {
 public:
  virtual ~DecodedFrames() = default;

  // Adds the segments to the batches that share them by their shards, behind what was decoded into them before, and
  // what decoding had counted. `hash_seed`: of the hashes in the batches.
  virtual void append_to(std::span<SegmentBatch> batches, const HashSeed& hash_seed, DecodeCounters& counters) = 0;
  virtual void append_to(std::span<PackedBatch> batches, const HashSeed& hash_seed, DecodeCounters& counters) = 0;
};

}  // namespace warpmeter
