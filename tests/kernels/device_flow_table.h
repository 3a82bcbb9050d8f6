// The flow table of a device with the memory that it lies in, and the kernels that bring a batch to it or make it anew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/tile.h"
#include "find_flows.cuh"
#include "kernels/device_batch.h"
#include "kernels/tiled_kernels.h"
#include "rehash_flow_table.cuh"

namespace warpmeter::test {

class DeviceFlowTable {
 public:
  DeviceFlowTable(std::uint32_t slots, std::uint32_t probes, std::uint32_t capacity)
      : slot_(slots), state_(capacity), free_id_(capacity, 0xa5a5a5a5), probes_(probes) {
    std::memset(static_cast<void*>(state_.data()), 0xa5, capacity * sizeof(FlowState));
    Tile1 tile;
    for (std::uint32_t id = 0; id < capacity; ++id) ListAllIds{ref()}(tile, id);
  }

  FlowTableRef ref() {
    return {slot_.data(), static_cast<std::uint32_t>(slot_.size()), probes_, capacity(), state_.data(), free_id_.data(),
            &room};
  }

  // As the Engine does it; batch.flow has the flow ids afterwards.
  template <class Device>
  void find_flows(Device& device, DeviceBatch& batch, bool may_claim, unsigned tile) {
    const BatchView view = batch.view();
    room.open = may_claim;
    const FlowClaims claims{batch.slot_of.data(), batch.new_flow.data()};
    device.launch(ClaimFlows{view, ref(), claims}, view.count, tile);
    device.launch(SettleFlows{view, ref(), claims}, view.count);
  }

  // Of flows whose keys were hashed with `hash_seed`.
  template <class Device>
  void rehash(Device& device, bool again, const HashSeed& hash_seed, unsigned tile) {
    std::fill(slot_.begin(), slot_.end(), 0);
    device.launch(BeginRehash{&room, again}, 1);
    device.launch(RehashFlowTable{ref(), hash_seed}, (capacity() + tile - 1) / tile, tile);
  }

  std::uint32_t capacity() const { return static_cast<std::uint32_t>(state_.size()); }
  std::uint32_t ids_given() const { return room.given; }
  FlowState& state(std::uint32_t flow) { return state_.at(flow); }
  // Ids that are still to be given.
  std::vector<std::uint32_t> free_ids() const {
    return {free_id_.begin() + room.given, free_id_.begin() + std::min(room.free, capacity())};
  }

  FlowRoom room{};

 private:
  std::vector<std::uint64_t> slot_;
  std::vector<FlowState> state_;
  std::vector<std::uint32_t> free_id_;
  const std::uint32_t probes_;
};

}  // namespace warpmeter::test
