// Brings batches to the device, and knows how many of the last segments before each are kept for it: those that the
// duplicate check looks back at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "batch_slot.cuh"
#include "core/device_meter.h"
#include "core/packed_segment.h"
#include "device_plan.h"

namespace warpmeter {

template <class Device>
class BatchInput {
 public:
  BatchInput(Device& device, const DeviceMeterOptions& options, const DevicePlan& plan)
      : device_(device), options_(options), plan_(plan) {}

  // The queue "compute" has the batch, packed, when what comes next on it begins.
  void bring(const SegmentSpan& batch, BatchSlotOnDevice<Device>& slot) {
    copy_in(slot, batch);
    note_numbers(batch);
    device_.wait(Queue::compute, slot.points[static_cast<int>(Point::copy_end)]);
    // The check looks back over `window` numbers of packets, which are more segments where frames hold several.
    slot.before = before_;
    before_ = std::min(plan_.before, before_ + slot.count);
  }

  // Segments that are kept for the next batch.
  std::uint32_t before() const { return before_; }

 private:
  void copy_in(BatchSlotOnDevice<Device>& slot, const SegmentSpan& batch) {
    slot.count = batch.count;
    slot.first_number = batch.first_number;
    if (slot.timed) device_.record(Queue::in, slot.points[static_cast<int>(Point::copy_begin)]);
    if (batch.count) {
      // Of segments from the middle of a section words lie elsewhere.
      const bool at_once = batch.words_are_before_segments();
      const std::size_t words = batch.word_count * sizeof(std::uint64_t),
                        segments = batch.count * sizeof(PackedSegment);
      const std::uint64_t* const from = batch.words - batch.word_count;
      std::uint64_t* const to = slot.words_end() - batch.word_count;
      if (words) device_.copy_in(to, from, words + (at_once ? segments : 0));
      if (!words || !at_once) device_.copy_in(slot.packed(), batch.segment, segments);
    }
    if (slot.expires) device_.copy_in(slot.watermark_ns.data(), slot.host_watermark_ns.get(), sizeof(std::int64_t));
    device_.record(Queue::in, slot.points[static_cast<int>(Point::copy_end)]);
  }

  // Those that are no longer kept must lie outside of the window.
  void note_numbers(const SegmentSpan& batch) {
    const std::size_t most = std::size_t{plan_.before} + 1;
    if (batch.count && numbers_.size() == most &&
        batch.number(0) - numbers_.front() <= options_.meter.duplicates.window) {
      throw DeviceError("more than " + std::to_string(plan_.before) + " packets in the frames of a duplicate window");
    }
    const auto noted = static_cast<std::uint32_t>(std::min<std::size_t>(batch.count, most));
    for (std::uint32_t i = batch.count - noted; i < batch.count; ++i) numbers_.push_back(batch.number(i));
    while (numbers_.size() > most) numbers_.pop_front();
  }

  Device& device_;
  const DeviceMeterOptions& options_;
  const DevicePlan& plan_;
  std::uint32_t before_ = 0;           // segments of earlier batches that are kept for the next one
  std::deque<std::uint64_t> numbers_;  // of these, and of the one before them
};

}  // namespace warpmeter
