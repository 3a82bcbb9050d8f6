// Brings what came of a batch back to the host: what leaves the device, and the segments that the CPU has to meter.
#pragma once

#include <cstdint>
#include <vector>

#include "batch_slot.cuh"
#include "core/device_meter.h"
#include "flow_memory.cuh"
#include "leaving.cuh"
#include "queue.h"
#include "spilled_counters.h"

namespace warpmeter {

// Threads: one, that of collect() and drain().
template <class Device>
class BatchResults {
 public:
  BatchResults(Device& device, FlowMemory<Device>& flows) : device_(device), flows_(flows) {}

  // All of a batch that is through, with these counts.
  void collect(const BatchSlotOnDevice<Device>& slot, const BatchCounts& counts, DeviceMeter::Result& result) {
    const std::vector<Leaving> leaving = copy_leaving(slot, counts.leaving);
    copy_overflow(slot, counts.overflow, result);
    device_.finish(Queue::out);
    result.finished.clear();
    result.handed_over.clear();
    spilled_.join(leaving, result.finished);
    for (const Leaving& one : leaving) {
      if (one.kind != Leaving::Kind::state) continue;
      const FlowState state = one.state();
      result.handed_over.push_back({state, flows_.holes_of(state, one.hole_class), spilled_.take(state)});
    }
  }

  // The same where no flow can have been handed over.
  void collect_partials(const BatchSlotOnDevice<Device>& slot, const BatchCounts& counts, std::vector<Partial>& ended) {
    const std::vector<Leaving> leaving = copy_leaving(slot, counts.leaving);
    device_.finish(Queue::out);
    spilled_.join(leaving, ended);
  }

 private:
  // There once the queue "out" is finished.
  std::vector<Leaving> copy_leaving(const BatchSlotOnDevice<Device>& slot, std::uint32_t count) {
    std::vector<Leaving> leaving(count);
    device_.copy_out(Queue::out, leaving.data(), slot.leaving.data(), count * sizeof(Leaving));
    return leaving;
  }

  void copy_overflow(const BatchSlotOnDevice<Device>& slot, std::uint32_t count, DeviceMeter::Result& result) {
    result.overflow.resize(count);
    result.duplicate.resize(count);
    device_.copy_out(Queue::out, result.overflow.data(), slot.overflow.data(), count * sizeof(std::uint32_t));
    device_.copy_out(Queue::out, result.duplicate.data(), slot.overflow_duplicate.data(), count);
  }

  Device& device_;
  FlowMemory<Device>& flows_;
  SpilledCounters spilled_;
};

}  // namespace warpmeter
