// The device memory of method five-tuple: the segment tables of the present memory block and of the one before.
#pragma once

#include <cstdint>
#include <string>

#include "core/device_meter.h"
#include "device_memory.cuh"
#include "device_plan.h"
#include "find_retransmissions.cuh"
#include "segment_table.cuh"

namespace warpmeter {

template <class Device>
class SegmentMemory {
 public:
  SegmentMemory(Device& device, const DeviceMeterOptions& options, const DevicePlan& plan)
      : device_(device), options_(options), plan_(plan) {
    for (unsigned i = 0; i < 2; ++i) {
      slots_[i] = {device, plan.segment_slots};
      if (options.meter.five_tuple.gap_ns) times_[i] = {device, plan.segment_slots};
    }
  }

  // A batch of `count` segments of this memory block comes. Blocks come in order; a block may have had no batch. Throws
  // DeviceError if a table would be so full that looking for a place in it might never end, as it is made for a segment
  // a frame.
  void turn_to(std::uint64_t block, std::uint32_t count) {
    if (!has_current_ || block != block_) begin(block);
    earlier_ = segments_;
    segments_ += count;
    if (segments_ > plan_.segment_slots - plan_.segment_slots / 8) {
      throw DeviceError("a memory block of " + std::to_string(plan_.block) + " frames has more than " +
                        std::to_string(segments_ - count) + " packets: too many frames hold several");
    }
  }

  std::uint64_t block() const { return block_; }
  // Segments of the memory block in batches before.
  std::uint64_t earlier() const { return earlier_; }

  SegmentTables tables() const {
    SegmentTables tables{table(current_), table(current_ ^ 1)};
    if (!has_previous_) tables.previous.slots = 0;
    return tables;
  }

 private:
  void begin(std::uint64_t block) {
    has_previous_ = has_current_ && block == block_ + 1;
    has_current_ = true;
    current_ ^= 1;
    block_ = block;
    segments_ = 0;
    device_.fill(slots_[current_].data(), 0xff, slots_[current_].bytes());
    device_.fill(times_[current_].data(), SegmentTableRef::kNoTimeByte, times_[current_].bytes());
  }

  SegmentTableRef table(unsigned which) const {
    return {slots_[which].data(), times_[which].data(), plan_.segment_slots, SegmentSeed(options_.hash_seed)};
  }

  Device& device_;
  const DeviceMeterOptions& options_;
  const DevicePlan& plan_;
  DeviceArray<Device, SegmentSlot> slots_[2];
  DeviceArray<Device, std::int64_t> times_[2];
  std::uint64_t block_ = 0;
  std::uint64_t segments_ = 0, earlier_ = 0;  // of the block
  unsigned current_ = 0;
  bool has_current_ = false, has_previous_ = false;
};

}  // namespace warpmeter
