// Brings batches to the device and makes columns of them, behind the last segments of the batches before, which the
// duplicate check looks back at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "batch_slot.cuh"
#include "core/device_meter.h"
#include "core/packed_segment.h"
#include "core/tile.h"
#include "device_memory.cuh"
#include "device_plan.h"

namespace warpmeter {

// The kernel that makes columns of a batch as it comes over the bus. A thread a segment.
struct UnpackSegments {
  const PackedSegment* packed;
  const std::uint64_t* words;
  HashSeed seed;
  FlowKey* key;
  std::uint64_t* hash;
  Segment* segment;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const KeyedSegment unpacked = unpack(packed[i], words);
    set_key(unpacked.key, key[i]);
    hash[i] = seeded_hash_of(unpacked.key, seed);
    segment[i] = unpacked.segment;
  }
};

template <class Device>
class BatchInput {
 public:
  BatchInput(Device& device, const DeviceMeterOptions& options, const DevicePlan& plan)
      : device_(device), options_(options), plan_(plan) {}

  // `previous`: the slot of the batch before. The queue "compute" has the batch when what comes next on it begins.
  void bring(const SegmentSpan& batch, BatchSlotOnDevice<Device>& slot, BatchSlotOnDevice<Device>& previous) {
    copy_in(slot, batch);
    note_numbers(batch);
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
    if (slot.expires) device_.copy_in(slot.watermark_ns.data(), slot.host_watermark_ns.get(), sizeof(std::int64_t));
    device_.record(Queue::in, slot.points[static_cast<int>(Point::copy_end)]);
  }

  // The duplicate check looks back over `window` numbers of packets, which are more segments where frames hold several.
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
