// One batch on its way to the devices: some stretches of the trace, and the segments that they were decoded to, one
// SegmentBatch a device.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <vector>

#include "capture/stretch.h"
#include "warpmeter/counters.h"
#include "warpmeter/segment_batch.h"

namespace warpmeter {

struct DeviceBatchSlot {
  // A SegmentBatch in each of these memories.
  DeviceBatchSlot(std::uint32_t capacity, const std::vector<std::pmr::memory_resource*>& memories) {
    for (std::pmr::memory_resource* memory : memories) batches.emplace_back(capacity, *memory);
  }
  std::vector<Stretch> stretches;
  std::size_t claimed = 0;  // stretches that are part of this batch
  std::vector<SegmentBatch> batches;
  DecodeCounters counters;           // of all batches that were in this slot
  DecodeCounters counters_of_batch;  // of this one
  bool decoded = false;
};

}  // namespace warpmeter
