// Keeps room for new flows on the device: idle ones expire, some at a time where room is short, all of them when that
// is asked for; and when their ids are needed the flow table is rehashed.
//
// What it knows of the room is as of the batch before the last one, whoever is faster; what must not be wrong is
// decided on the device by BeginBatch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "batch_slot.cuh"
#include "core/device_meter.h"
#include "device_plan.h"
#include "end_flows.cuh"
#include "flow_memory.cuh"
#include "flow_step.cuh"
#include "rehash_flow_table.cuh"

namespace warpmeter {

template <class Device>
class FlowRoomKeeper {
 public:
  FlowRoomKeeper(Device& device, const DeviceMeterOptions& options, const DevicePlan& plan, FlowMemory<Device>& flows)
      : device_(device), options_(options), plan_(plan), flows_(flows) {}

  // Before a batch takes ids. `wanted`: new keys that may have come since what is known of the room, those of this
  // batch included; `batch`: how many were submitted before. Returns whether the batch has begun thereby; where there
  // is nothing to do, its first kernel begins it.
  bool make_room(BatchSlotOnDevice<Device>& slot, std::uint32_t wanted, std::uint64_t batch, std::uint64_t block) {
    constexpr std::uint32_t kLiveShare = 2, kReleasedShare = 8;
    const FlowRoom& known = slot.room;
    const std::uint32_t left = known.free - known.given;
    if (in_order_) ids_used_ = std::min(ids_used_, known.given + (wanted - slot.count));
    const bool sweeps = !slot.expires && left + known.released < plan_.flows / kLiveShare;
    const bool much_released = known.released > plan_.flows / kReleasedShare;
    const bool rehashes = known.open && left < wanted && knows_since_rehash(batch) && much_released;
    if (slot.count && !slot.expires && !sweeps && !rehashes) return false;
    device_.launch(flows_.clear_counts(), 1);
    if (slot.expires) expire_idle(slot, block, 0, ids_used_, slot.watermark_ns.data());
    else if (sweeps) expire_some(slot, block);
    if (rehashes) rehash(false, batch);
    device_.launch(BeginBatch{flows_.room(), slot.count}, 1);
    return true;
  }

  // So many segments may each have taken an id.
  void ids_taken(std::uint32_t segments) {
    ids_used_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan_.flows, std::uint64_t{ids_used_} + segments));
  }
  std::uint32_t ids_used() const { return ids_used_; }  // flow ids are below this

  // DeviceMeter::room_again().
  std::uint32_t room_again(const FlowRoom& known, std::uint64_t batch) const {
    constexpr std::uint32_t kShare = 4;
    const std::uint32_t free = known.free - known.given + known.released;
    // As many released flows may have come again in the batch that is not known yet.
    const bool enough = free > plan_.flows / kShare && free > options_.batch;
    const bool exact = options_.meter.method == Method::exact;
    return exact && !known.open && knows_since_rehash(batch) && enough ? free - options_.batch : 0;
  }

  // DeviceMeter::take_again().
  void take_again(std::span<const FlowOnCpu> on_cpu, std::uint64_t batch) {
    device_.launch(ForgetFlowsOnCpu{flows_.states(), flows_.holes()}, ids_used_);
    rehash(true, batch);
    // Not all at once: there may be many, and most of the memory is taken.
    const DeviceArray<Device, FlowOnCpu> flows(device_, std::min<std::size_t>(on_cpu.size(), options_.batch));
    while (!on_cpu.empty()) {
      const std::span<const FlowOnCpu> some = on_cpu.first(std::min(on_cpu.size(), flows.count()));
      device_.copy_in(flows.data(), some.data(), some.size_bytes());
      device_.finish(Queue::in);
      device_.launch(EnterFlowsOnCpu{flows_.table(), flows.data(), options_.hash_seed},
                     static_cast<std::uint32_t>(some.size()));
      device_.finish(Queue::compute);
      on_cpu = on_cpu.subspan(some.size());
    }
  }

 private:
  bool knows_since_rehash(std::uint64_t batch) const { return batch >= rehashed_ + DeviceMeter::kMostInFlight; }

  // By the time of the trace, and some of the flows at a time, so that no batch has to wait long.
  void expire_some(BatchSlotOnDevice<Device>& slot, std::uint64_t block) {
    const std::uint64_t at_a_time = std::max<std::uint64_t>(std::uint64_t{options_.batch} * 4, 1024);
    if (swept_ >= ids_used_) swept_ = 0;
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(ids_used_ - swept_, at_a_time));
    expire_idle(slot, block, swept_, count, flows_.latest());
    swept_ += count;
  }

  // `now`, in device memory, is not changed: no flow that is idle by it ended later.
  void expire_idle(BatchSlotOnDevice<Device>& slot, std::uint64_t block, std::uint32_t begin, std::uint32_t count,
                   std::int64_t* now) {
    if (!options_.meter.timeouts.idle_ns) return;
    FlowsRef flows = flows_.ref(slot, block);
    flows.sink.latest_ns = now;
    for_method(options_.meter.method, [&](auto method) {
      device_.launch(ExpireIdleFlows<method>{flows, begin, &flows_.counts()->idle, plan_.leaving}, count);
    });
  }

  void rehash(bool again, std::uint64_t batch) {
    flows_.clear_table();
    device_.launch(BeginRehash{flows_.room(), again}, 1);
    const std::uint32_t tiles = (plan_.flows + options_.tile - 1) / options_.tile;
    device_.launch(RehashFlowTable{flows_.table(), options_.hash_seed}, tiles, options_.tile);
    in_order_ = false;
    ids_used_ = plan_.flows;
    rehashed_ = batch;
  }

  Device& device_;
  const DeviceMeterOptions& options_;
  const DevicePlan& plan_;
  FlowMemory<Device>& flows_;
  std::uint32_t swept_ = 0;     // flow ids below this were looked at last for idle flows
  std::uint64_t rehashed_ = 0;  // batches submitted when the flow table was last rehashed
  std::uint32_t ids_used_ = 0;
  bool in_order_ = true;  // ids are given in ascending order, until the table is rehashed
};

}  // namespace warpmeter
