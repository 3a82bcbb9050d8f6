// The engine of a DeviceMeter: which kernel runs when, over which memory. A template over the device, so that tests run
// the same engine on the CPU:
//
//   CudaDevice   kernels/cuda_device.cuh
//   HostDevice   tests/kernels/host_device.h
//
// A batch goes through three queues. "in": its columns are copied to device memory. "compute", in trace order: flow
// ids, duplicates, segment tables, then the segments sorted by flow are brought to the flows' states. "out": what ended
// is copied back. Two batches are under way: while one is computed, the next is copied in and the last one copied out.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "batch_slot.cuh"
#include "device_plan.h"
#include "find_duplicates.cuh"
#include "find_flows.cuh"
#include "find_retransmissions.cuh"
#include "meter_flows.cuh"
#include "queue.h"
#include "stash.h"
#include "warpmeter/device_meter.h"

namespace warpmeter {

template <class Device>
class Engine : public DeviceMeter {
 public:
  // Throws DeviceError.
  Engine(std::unique_ptr<Device> device, const DeviceMeterOptions& options);
  ~Engine() override { device_->finish(); }

  std::string name() const override { return device_->name(); }
  std::uint64_t block() const override { return plan_.block; }
  std::pmr::memory_resource& batch_memory() override { return device_->host_memory(); }
  void submit(const SegmentBatch& batch) override;
  void collect(Result& result) override;
  void finish() noexcept override { device_->finish(); }
  std::int64_t latest_ns() override;
  bool drain(std::int64_t trace_end_ns, std::vector<FlowRecord>& ended) override;
  std::uint64_t flows() override { return flows_known_; }
  std::array<double, kDeviceStages> stage_seconds() const override { return seconds_; }

 private:
  using Slot = BatchSlotOnDevice<Device>;

  Slot& slot_of(std::uint64_t batch) { return slots_[batch % kMostUnderWay]; }
  void clear_tables();
  bool may_claim(const Slot& slot, const Slot& previous, std::uint32_t count);
  void copy_in(Slot& slot, const SegmentBatch& batch);
  void keep_earlier_segments(Slot& slot, Slot& previous);
  void turn_to_block(std::uint64_t block);
  void compute(Slot& slot, bool may_claim);
  void find_flows(const BatchView& view, bool may_claim);
  void find_duplicates(const BatchView& view);
  void find_retransmissions(const BatchView& view);
  void meter_flows(Slot& slot, const BatchView& view);
  SegmentTableRef segment_table(unsigned which) const;
  FlowTableRef flow_table() const;
  void copy_records(const DeviceArray<Device, FlowRecord>& from, std::uint32_t count, std::vector<FlowRecord>& to);
  void add_stage_times(Slot& slot);

  std::unique_ptr<Device> device_;  // outlives all that follows
  const DeviceMeterOptions options_;
  const DevicePlan plan_;

  DeviceArray<Device, std::uint64_t> flow_slots_;
  DeviceArray<Device, FlowState> states_;
  DeviceArray<Device, std::uint32_t> ids_given_;
  DeviceArray<Device, std::int64_t> latest_;
  DeviceArray<Device, SegmentSlot> segment_slots_[2];
  DeviceArray<Device, std::int64_t> segment_times_[2];
  Workspace<Device> work_;
  Slot slots_[kMostUnderWay];

  std::uint64_t current_block_ = 0;
  unsigned current_table_ = 0;
  bool has_previous_ = false;
  std::uint32_t before_ = 0;  // segments of earlier batches that are kept for the next one
  bool open_ = true;          // the flow table takes new keys; once closed, for ever

  std::uint64_t submitted_ = 0;

  // Of collect() and drain().
  std::uint64_t collected_ = 0;
  std::uint32_t flows_known_ = 0;  // flow ids given, as of the last collected batch
  Stash stash_;
  std::uint64_t drained_ = 0;
  std::array<double, kDeviceStages> seconds_{};
};

}  // namespace warpmeter

#include "engine_steps.cuh"
