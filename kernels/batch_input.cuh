// Brings batches to the device: their columns, behind the last segments of the batches before, which the duplicate
// check looks back at.
#pragma once

#include <algorithm>
#include <cstdint>

#include "batch_slot.cuh"
#include "device_plan.h"
#include "queue.h"
#include "warpmeter/segment_batch.h"

namespace warpmeter {

template <class Device>
class BatchInput {
 public:
  BatchInput(Device& device, const DevicePlan& plan) : device_(device), plan_(plan) {}

  // `previous`: the slot of the batch before. The queue "compute" has the batch when what comes next on it begins.
  void bring(const SegmentSpan& batch, BatchSlotOnDevice<Device>& slot, BatchSlotOnDevice<Device>& previous) {
    copy_in(slot, batch);
    device_.wait(Queue::compute, slot.points[static_cast<int>(Point::copy_end)]);
    keep_earlier_segments(slot, previous);
  }

 private:
  void copy_in(BatchSlotOnDevice<Device>& slot, const SegmentSpan& batch) {
    slot.count = batch.count;
    slot.first_number = batch.first_number;
    device_.wait(Queue::in, slot.earlier_taken);
    device_.record(Queue::in, slot.points[static_cast<int>(Point::copy_begin)]);
    device_.copy_in(slot.key.data(), batch.key, batch.count * sizeof(FlowKey));
    device_.copy_in(slot.hash.data(), batch.hash, batch.count * sizeof(std::uint64_t));
    device_.copy_in(slot.segment.data(), batch.segment, batch.count * sizeof(Segment));
    device_.record(Queue::in, slot.points[static_cast<int>(Point::copy_end)]);
  }

  // The duplicate check looks back over `window` packets, so over at most as many segments.
  void keep_earlier_segments(BatchSlotOnDevice<Device>& slot, BatchSlotOnDevice<Device>& previous) {
    slot.before = before_;
    const auto keep = [&](const auto& to, const auto& from) {
      device_.copy(to.data() - before_, from.data() + previous.count - before_, before_ * sizeof(*to.data()));
    };
    if (before_) {
      keep(slot.key, previous.key);
      keep(slot.hash, previous.hash);
      keep(slot.segment, previous.segment);
      keep(slot.number, previous.number);
    }
    device_.record(Queue::compute, previous.earlier_taken);
    before_ = std::min(plan_.before, before_ + slot.count);
  }

  Device& device_;
  const DevicePlan& plan_;
  std::uint32_t before_ = 0;  // segments of earlier batches that are kept for the next one
};

}  // namespace warpmeter
