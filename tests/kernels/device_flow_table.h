// The flow table of a device with the memory that it lies in, and the kernels that bring a batch to it.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "find_flows.cuh"
#include "kernels/device_batch.h"

namespace warpmeter::test {

class DeviceFlowTable {
 public:
  DeviceFlowTable(std::uint32_t slots, std::uint32_t probes, std::uint32_t capacity)
      : slot_(slots), state_(capacity), probes_(probes) {
    std::memset(static_cast<void*>(state_.data()), 0xa5, capacity * sizeof(FlowState));
  }

  FlowTableRef ref() {
    return {slot_.data(), static_cast<std::uint32_t>(slot_.size()), probes_, capacity(), state_.data(), &ids_given_};
  }

  // As the Engine does it; batch.flow has the flow ids afterwards.
  template <class Device>
  void find_flows(Device& device, DeviceBatch& batch, bool may_claim, unsigned tile) {
    const BatchView view = batch.view();
    device.launch(ClaimFlows{view, ref(), batch.slot_of.data(), may_claim}, view.count, tile);
    device.launch(SettleFlows{view, ref(), batch.slot_of.data(), batch.new_flow.data()}, view.count);
    device.launch(LookUpNewFlows{view, batch.new_flow.data()}, view.count);
  }

  std::uint32_t capacity() const { return static_cast<std::uint32_t>(state_.size()); }
  std::uint32_t ids_given() const { return ids_given_; }
  const FlowState& state(std::uint32_t flow) const { return state_.at(flow); }

 private:
  std::vector<std::uint64_t> slot_;
  std::vector<FlowState> state_;
  const std::uint32_t probes_;
  std::uint32_t ids_given_ = 0;
};

}  // namespace warpmeter::test
