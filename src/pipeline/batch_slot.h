// One batch in flight: the frames that were read, the segments that they were decoded to, what decoding counted.
#pragma once

#include <memory_resource>

#include "warpmeter/counters.h"
#include "warpmeter/frame.h"
#include "warpmeter/segment_batch.h"

namespace warpmeter {

struct BatchSlot {
  explicit BatchSlot(std::uint32_t capacity, std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : batch(capacity, memory) {
    block.frames.reserve(capacity);
  }
  FrameBlock block;
  SegmentBatch batch;
  DecodeCounters counters;  // of all batches that were in this slot
  unsigned groups_left = 0;
  bool decoded = false;
};

}  // namespace warpmeter
