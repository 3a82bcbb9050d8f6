// Brings batches to the device and makes columns of them, behind the last segments of the batches before, which the
// duplicate check looks back at.
#pragma once

#include <algorithm>
#include <cstdint>

#include "batch_slot.cuh"
#include "core/device_meter.h"
#include "device_plan.h"
#include "queue.h"
#include "unpack_segments.cuh"

namespace warpmeter {

template <class Device>
class BatchInput {
 public:
  BatchInput(Device& device, const DeviceMeterOptions& options, const DevicePlan& plan)
      : device_(device), options_(options), plan_(plan) {}

  // `previous`: the slot of the batch before. The queue "compute" has the batch when what comes next on it begins.
  void bring(const SegmentSpan& batch, BatchSlotOnDevice<Device>& slot, BatchSlotOnDevice<Device>& previous) {
    copy_in(slot, batch);
    device_.wait(Queue::compute, slot.points[static_cast<int>(Point::copy_end)]);
    device_.launch(UnpackSegments{slot.packed.data(), slot.words.data(), options_.hash_seed, slot.key.data(),
                                  slot.hash.data(), slot.segment.data()},
                   slot.count);
    keep_earlier_segments(slot, previous);
  }

 private:
  void copy_in(BatchSlotOnDevice<Device>& slot, const SegmentSpan& batch) {
    slot.count = batch.count;
    slot.first_number = batch.first_number;
    device_.record(Queue::in, slot.points[static_cast<int>(Point::copy_begin)]);
    if (batch.count) {
      device_.copy_in(slot.packed.data(), batch.segment, batch.count * sizeof(PackedSegment));
      device_.copy_in(slot.words.data(), batch.words, batch.word_count * sizeof(std::uint64_t));
    }
    if (slot.expires) device_.copy_in(slot.passed_ns.data(), slot.host_passed_ns.get(), sizeof(std::int64_t));
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
    before_ = std::min(plan_.before, before_ + slot.count);
  }

  Device& device_;
  const DeviceMeterOptions& options_;
  const DevicePlan& plan_;
  std::uint32_t before_ = 0;  // segments of earlier batches that are kept for the next one
};

}  // namespace warpmeter
