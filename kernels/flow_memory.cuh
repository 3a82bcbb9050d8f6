// The device memory in which flows live: table, states, ids, holes, strays, and the latest packet time of all. It owns
// the arrays and gives them to kernels as Refs; what happens in them is the kernels' business.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "batch_counts.cuh"
#include "batch_slot.cuh"
#include "core/device_meter.h"
#include "core/flow_state.h"
#include "device_memory.cuh"
#include "device_plan.h"
#include "flow_table.cuh"
#include "flows_ref.cuh"
#include "hole_pool.cuh"
#include "rehash_flow_table.cuh"
#include "segment_table.cuh"

namespace warpmeter {

template <class Device>
class FlowMemory {
 public:
  // Contents are undefined until clear(). All three must outlive this.
  FlowMemory(Device& device, const DeviceMeterOptions& options, const DevicePlan& plan)
      : device_(device),
        options_(options),
        plan_(plan),
        slots_(device, plan.flow_slots),
        states_(device, plan.flows),
        strays_(device, plan.flows),
        free_ids_(device, plan.flows),
        counts_(device, 1),
        latest_(device, 1) {
    if (options.meter.method != Method::exact) return;
    hole_units_ = {device, plan.hole_units};
    hole_rings_ = {device, HolePoolRef::ring_places(plan.hole_units)};
    hole_counters_ = {device, 1};
  }

  // No flows, no holes, no packet yet.
  void clear() {
    clear_table();
    device_.launch(ListAllIds{table()}, plan_.flows);
    device_.fill(hole_counters_.data(), 0, hole_counters_.bytes());
    device_.fill(latest_.data(), SegmentTableRef::kNoTimeByte, latest_.bytes());
  }
  // The table alone: states and ids stay.
  void clear_table() { device_.fill(slots_.data(), 0, slots_.bytes()); }

  FlowTableRef table() const {
    constexpr std::uint32_t kProbes = 1024;
    return {slots_.data(), plan_.flow_slots, std::min(kProbes, plan_.flow_slots),
            plan_.flows,   states_.data(),   free_ids_.data(),
            room()};
  }
  HolePoolRef holes() const {
    return {hole_units_.data(), hole_rings_.data(), plan_.hole_units, hole_counters_.data()};
  }
  FlowState* states() const { return states_.data(); }
  FlowRoom* room() const { return &counts_.data()->room; }
  BatchCounts* counts() const { return counts_.data(); }  // of the batch that is computed
  ClearCounts clear_counts() const { return {counts(), holes()}; }
  std::int64_t* latest() const { return latest_.data(); }  // packet time

  // Of kernels whose results go into `slot`; `block` is the present memory block, method five-tuple only.
  FlowsRef ref(const BatchSlotOnDevice<Device>& slot, std::uint64_t block) const {
    return {states_.data(),
            room(),
            strays_.data(),
            holes(),
            {slot.leaving.data(), &counts()->leaving, latest_.data()},
            options_.meter.timeouts,
            full_counter(),
            static_cast<std::uint32_t>(block),
            &counts()->jumps,
            overflow_of(slot)};
  }

  OverflowList overflow_of(const BatchSlotOnDevice<Device>& slot) const {
    return {slot.overflow.data(), &counts()->overflow};
  }

  // Latest packet time; INT64_MIN: none yet. Waits for the queue "out".
  std::int64_t latest_ns() {
    std::int64_t latest;
    device_.copy_out(Queue::out, &latest, latest_.data(), sizeof latest);
    device_.finish(Queue::out);
    return latest == SegmentTableRef::kNoTime ? std::numeric_limits<std::int64_t>::min() : latest;
  }

  // The holes of a state that was handed over; waits for the queue "out". The block is as the flow left it: the next
  // batch may give it back, and the one after that take it, but this one is submitted only when the present one is
  // collected (kMostInFlight).
  std::vector<Hole> holes_of(const FlowState& state, std::uint8_t hole_class) {
    static_assert(DeviceMeter::kMostInFlight == 2);
    if (!state.holes) return {};
    std::vector<Hole> holes(holes_of_class(hole_class) + 1);
    device_.copy_out(Queue::out, holes.data(), hole_units_.data() + (state.holes - 1), holes.size() * sizeof(Hole));
    device_.finish(Queue::out);
    HoleBlock head;
    std::memcpy(&head, holes.data(), sizeof head);
    holes.erase(holes.begin());
    holes.resize(head.count);
    return holes;
  }

 private:
  Device& device_;
  const DeviceMeterOptions& options_;
  const DevicePlan& plan_;
  DeviceArray<Device, std::uint64_t> slots_;
  DeviceArray<Device, FlowState> states_;
  DeviceArray<Device, StrayState> strays_;
  DeviceArray<Device, std::uint32_t> free_ids_;
  DeviceArray<Device, BatchCounts> counts_;
  DeviceArray<Device, std::int64_t> latest_;
  DeviceArray<Device, HoleUnit> hole_units_;  // these three: method exact only
  DeviceArray<Device, std::uint32_t> hole_rings_;
  DeviceArray<Device, HolePoolCounters> hole_counters_;
};

}  // namespace warpmeter
