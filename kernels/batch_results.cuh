// Brings what came of a batch back to the host: what leaves the device, and the segments that the CPU has to meter.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <utility>
#include <vector>

#include "batch_slot.cuh"
#include "core/device_meter.h"
#include "device_memory.cuh"
#include "device_output.cuh"
#include "flow_memory.cuh"
#include "spilled_counters.h"

namespace warpmeter {

// Threads: one, that of collect() and drain().
template <class Device>
class BatchResults {
 public:
  // `most`: what leaves with a batch at most.
  BatchResults(Device& device, FlowMemory<Device>& flows, std::size_t most)
      : device_(device),
        flows_(flows),
        piece_(std::clamp<std::size_t>(most / 4, 1, kMostOfPiece), &device.host_memory()) {}

  // All of a batch that is through, with these counts.
  void collect(const BatchSlotOnDevice<Device>& slot, const BatchCounts& counts, DeviceMeter::Result& result) {
    result.finished.clear();
    result.handed_over.clear();
    copy_overflow(slot, counts.overflow, result);
    bring(slot, counts.leaving, result.finished);
    for (const DeviceOutput& one : std::exchange(states_, {})) {
      const FlowState state = one.state();
      result.handed_over.push_back({state, flows_.holes_of(state, one.hole_class), spilled_.take(state), {}});
      if (state.strays) result.handed_over.back().stray = one.stray();
    }
  }

  // The same where no flow can have been handed over.
  void collect_partials(const BatchSlotOnDevice<Device>& slot, const BatchCounts& counts, std::vector<Partial>& ended) {
    bring(slot, counts.leaving, ended);
  }

 private:
  static constexpr std::size_t kMostOfPiece = 1 << 14;  // 4 MB: a copy of so much is about as fast as one of all

  // In pieces through memory that the device copies to fast: to other memory it is ten times slower, and making that
  // anew for each batch is slower still.
  void bring(const BatchSlotOnDevice<Device>& slot, std::uint32_t count, std::vector<Partial>& partials) {
    for (std::size_t begin = 0; begin < count; begin += piece_.size()) {
      const std::span<const DeviceOutput> piece(piece_.data(), std::min(piece_.size(), count - begin));
      device_.copy_out(Queue::out, piece_.data(), slot.leaving.data() + begin, piece.size_bytes());
      device_.finish(Queue::out);
      spilled_.join(piece, partials);
      for (const DeviceOutput& one : piece) {
        if (one.kind == DeviceOutput::Kind::state) states_.push_back(one);
      }
    }
    spilled_.settle(partials);
  }

  void copy_overflow(const BatchSlotOnDevice<Device>& slot, std::uint32_t count, DeviceMeter::Result& result) {
    result.overflow.resize(count);
    result.duplicate.resize(count);
    if (count == 0) return;
    device_.copy_out(Queue::out, result.overflow.data(), slot.overflow.data(), count * sizeof(std::uint32_t));
    device_.copy_out(Queue::out, result.duplicate.data(), slot.overflow_duplicate.data(), count);
    device_.finish(Queue::out);
  }

  Device& device_;
  FlowMemory<Device>& flows_;
  std::pmr::vector<DeviceOutput> piece_;
  SpilledCounters spilled_;
  std::vector<DeviceOutput> states_;  // of flows that are handed over
};

}  // namespace warpmeter
