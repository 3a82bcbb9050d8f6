// One batch in flight: a stretch of the trace, the segments that its frames were decoded to, what decoding counted.
#pragma once

#include "capture/stretch.h"
#include "warpmeter/counters.h"
#include "warpmeter/segment_batch.h"

namespace warpmeter {

struct BatchSlot {
  explicit BatchSlot(std::uint32_t capacity) : batch(capacity) {}
  Stretch stretch;
  SegmentBatch batch;
  DecodeCounters counters;           // of all batches that were in this slot
  DecodeCounters counters_of_batch;  // of this one, until it is settled
  unsigned groups_left = 0;
  bool walked = false;
  bool decoded = false;
};

}  // namespace warpmeter
