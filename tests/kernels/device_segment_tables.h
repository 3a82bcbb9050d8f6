// The two segment tables of a device with the memory that they lie in, and the kernels that bring a batch to them, as
// the Engine does it.
#pragma once

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "find_retransmissions.cuh"
#include "kernels/device_batch.h"
#include "kernels/tiled_kernels.h"

namespace warpmeter::test {

class DeviceSegmentTables {
 public:
  DeviceSegmentTables(std::uint64_t slots, std::int64_t gap_ns, std::uint64_t seed = 0)
      : slots_(slots), gap_ns_(gap_ns), seed_(SegmentSeed(seed)) {
    for (unsigned which : {0, 1}) {
      slot_[which].resize(slots);
      if (gap_ns) latest_ns_[which].resize(slots);
      clear(which);
    }
  }

  // Blocks rise; each begins with this.
  void turn_to(std::uint64_t block) {
    has_previous_ = block == block_ + 1;
    block_ = block;
    in_block_ = 0;
    clear(current_ ^= 1);
  }

  // batch.mark has kRetransmitted afterwards where it applies. REQUIRES: batch.flow, and of batch.mark all but that.
  template <class Device>
  void find_retransmissions(Device& device, DeviceBatch& batch, unsigned tile) {
    const BatchView view = batch.view(in_block_);
    const std::uint32_t n = view.count;
    in_block_ += n;
    SegmentTables tables{table(current_), table(current_ ^ 1)};
    if (!has_previous_) tables.previous.slots = 0;
    std::vector<std::uint32_t> position(n), sorted_slot(n), sorted_position(n);
    std::iota(position.begin(), position.end(), 0u);
    device.launch(InsertSegments{view, tables}, n, tile);
    device.launch(JudgeSegments{view, tables.current}, n);
    if (!gap_ns_) return;
    device.sort({view.segment_slot, position.data(), sorted_slot.data(), sorted_position.data()}, n, 32);
    device.launch(JudgeByTime{view, tables, sorted_slot.data(), sorted_position.data(), gap_ns_}, n);
  }

  SegmentTableRef current() { return table(current_); }

 private:
  SegmentTableRef table(unsigned which) {
    return {slot_[which].data(), gap_ns_ ? latest_ns_[which].data() : nullptr, slots_, seed_};
  }

  void clear(unsigned which) {
    std::memset(static_cast<void*>(slot_[which].data()), 0xff, slots_ * sizeof(SegmentSlot));
    if (gap_ns_) std::memset(latest_ns_[which].data(), SegmentTableRef::kNoTimeByte, slots_ * sizeof(std::int64_t));
  }

  const std::uint64_t slots_;
  const std::int64_t gap_ns_;
  const SegmentSeed seed_;
  std::vector<SegmentSlot> slot_[2];
  std::vector<std::int64_t> latest_ns_[2];
  std::uint64_t block_ = 0, in_block_ = 0;
  unsigned current_ = 0;
  bool has_previous_ = false;
};

}  // namespace warpmeter::test
