// The device memory of method five-tuple: the segment tables of the present memory block and of the one before.
#pragma once

#include <cstdint>

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

  // Batches from here on are of this memory block. Blocks come in order; a block may have had no batch.
  void turn_to(std::uint64_t block) {
    if (has_current_ && block == block_) return;
    has_previous_ = has_current_ && block == block_ + 1;
    has_current_ = true;
    current_ ^= 1;
    block_ = block;
    device_.fill(slots_[current_].data(), 0xff, slots_[current_].bytes());
    device_.fill(times_[current_].data(), SegmentTableRef::kNoTimeByte, times_[current_].bytes());
  }

  std::uint64_t block() const { return block_; }

  SegmentTables tables() const {
    SegmentTables tables{table(current_), table(current_ ^ 1)};
    if (!has_previous_) tables.previous.slots = 0;
    return tables;
  }

 private:
  SegmentTableRef table(unsigned which) const {
    return {slots_[which].data(), times_[which].data(), plan_.segment_slots, SegmentSeed(options_.hash_seed)};
  }

  Device& device_;
  const DeviceMeterOptions& options_;
  const DevicePlan& plan_;
  DeviceArray<Device, SegmentSlot> slots_[2];
  DeviceArray<Device, std::int64_t> times_[2];
  std::uint64_t block_ = 0;
  unsigned current_ = 0;
  bool has_current_ = false, has_previous_ = false;
};

}  // namespace warpmeter
