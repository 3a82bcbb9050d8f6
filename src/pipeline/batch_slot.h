// One batch in flight: the frames that were read (a stretch of the trace, or a block), the segments that they were
// decoded to, what decoding counted.
#pragma once

#include <memory_resource>

#include "capture/stretch.h"
#include "warpmeter/counters.h"
#include "warpmeter/frame.h"
#include "warpmeter/segment_batch.h"

namespace warpmeter {

struct BatchSlot {
  explicit BatchSlot(std::uint32_t capacity, std::pmr::memory_resource& memory = *std::pmr::new_delete_resource())
      : batch(capacity, memory) {}
  Stretch stretch;
  FrameBlock block;
  SegmentBatch batch;
  DecodeCounters counters;           // of all batches that were in this slot
  DecodeCounters counters_of_batch;  // of this one, until it is settled
  unsigned groups_left = 0;
  bool walked = false;
  bool decoded = false;
};

}  // namespace warpmeter
