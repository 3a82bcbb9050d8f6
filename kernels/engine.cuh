// The engine of a DeviceMeter: which kernel runs when, over which memory. A template over the device, so that tests run
// the same engine on the CPU:
//
//   CudaDevice   kernels/cuda_device.cuh
//   HostDevice   tests/kernels/host_device.h
//
// A batch goes through three queues. "in": its columns are copied to device memory. "compute", in trace order: room for
// its flows, flow ids, duplicates, the segment tables of method five-tuple, then the segments sorted by flow are
// brought to the flows' states. "out": what ended is copied back. Two batches are under way: while one is computed, the
// next is copied in and the last one copied out.
//
// The problem: segments of a flow must be taken in order, each depends on the state that the one before has left; yet
// a GPU is fast only where many thousands of threads do the same. A batch has few segments of most flows, and very
// many of some.
//
// The idea is to make independent work of it. Every segment finds the id of its flow in a hash table, all at once. The
// batch is sorted by id, stably, so that a flow's segments lie side by side, in order. Flows do not know of each
// other: a tile of lanes takes each. And within a flow nearly all segments are the next in order, whose effect is a
// sum: neighbours combine, pairs of them combine, as in any reduction, and the sum is added to the state at once
// (lane_sums.cuh). Only segments that ask for more are taken one by one, by the functions that the CPU uses
// (flow_step.cuh).
//
// Nothing is approximated for lack of room. A key without a free state, or a flow whose holes no longer fit, is the
// CPU's from there on: the engine gives back its segments, and its state as it was before the first of them.
//
// Kernels of a batch run in one queue, in the order of their launches, so that what one has written the next may read.
// Only copies are beside them. What the host learns of a batch it reads from a copy of its counts, when the batch is
// collected.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "batch_slot.cuh"
#include "device_plan.h"
#include "end_flows.cuh"
#include "find_duplicates.cuh"
#include "find_flows.cuh"
#include "find_retransmissions.cuh"
#include "meter_flows.cuh"
#include "queue.h"
#include "renew_flow_table.cuh"
#include "sort_by_flow.cuh"
#include "spilled_counters.h"
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
  void submit(const SegmentSpan& batch) override;
  void collect(Result& result) override;
  void finish() noexcept override { device_->finish(); }
  std::uint32_t room_again() override;
  void take_again(std::span<const FlowOnCpu> on_cpu) override;
  std::int64_t latest_ns() override;
  bool drain(std::int64_t trace_end_ns, std::vector<Partial>& ended) override;
  std::uint64_t flows() override { return most_flows_; }
  std::array<double, kDeviceStages> stage_seconds() const override { return seconds_; }

 private:
  using Slot = BatchSlotOnDevice<Device>;

  bool is_exact() const { return options_.meter.method == Method::exact; }
  // Calls with the method as a constant, for the kernels that are made for one.
  template <class Use>
  void for_method(const Use& use) {
    if (is_exact()) use(std::integral_constant<Method, Method::exact>());
    else use(std::integral_constant<Method, Method::five_tuple>());
  }
  Slot& slot_of(std::uint64_t batch) { return slots_[batch % kMostInFlight]; }
  void clear_tables();
  void copy_in(Slot& slot, const SegmentSpan& batch);
  void keep_earlier_segments(Slot& slot, Slot& previous);
  void turn_to_block(std::uint64_t block);
  void compute(Slot& slot, const Slot& previous);
  void make_room(Slot& slot, std::uint32_t wanted);
  void let_idle_go(Slot& slot);
  void renew_flow_table(bool again);
  void find_flows(const BatchView& view);
  void find_duplicates(const BatchView& view);
  void find_retransmissions(const BatchView& view);
  void meter_flows(Slot& slot, const BatchView& view);
  void list_overflow(Slot& slot, const BatchView& view);
  SegmentTableRef segment_table(unsigned which) const;
  FlowTableRef flow_table() const;
  HolePoolRef hole_pool() const;
  FlowsRef flows_ref(Slot& slot) const;
  void copy_overflow(Slot& slot, std::uint32_t count, Result& result);
  std::vector<Leaving> copy_leaving(const Slot& slot, std::uint32_t count);
  void add_handed_over(const std::vector<Leaving>& leaving, std::vector<HandedOverFlow>& flows);
  std::vector<Hole> holes_of(const FlowState& state, std::uint8_t hole_class);
  void note_room(Slot& slot, const FlowRoom& room);
  void add_stage_times(Slot& slot);

  std::unique_ptr<Device> device_;  // outlives all that follows
  const DeviceMeterOptions options_;
  const DevicePlan plan_;

  DeviceArray<Device, std::uint64_t> flow_slots_;
  DeviceArray<Device, FlowState> states_;
  DeviceArray<Device, std::uint32_t> free_ids_;
  DeviceArray<Device, FlowRoom> room_;
  DeviceArray<Device, std::int64_t> latest_;
  DeviceArray<Device, SegmentSlot> segment_slots_[2];
  DeviceArray<Device, std::int64_t> segment_times_[2];
  DeviceArray<Device, HoleUnit> hole_units_;
  DeviceArray<Device, std::uint32_t> hole_rings_;
  DeviceArray<Device, HolePoolCounters> hole_counters_;
  Workspace<Device> work_;
  Slot slots_[kMostInFlight];

  // Of submit().
  std::uint64_t submitted_ = 0;
  std::uint32_t before_ = 0;  // segments of earlier batches that are kept for the next one
  std::uint64_t current_block_ = 0;
  unsigned current_table_ = 0;
  bool has_current_ = false, has_previous_ = false;
  std::uint32_t swept_ = 0;     // flow ids below this were looked at last for idle flows
  std::uint64_t renewed_ = 0;   // batches submitted when the flow table was last made anew
  std::uint32_t ids_used_ = 0;  // flow ids are below this

  // Of collect() and drain().
  std::uint64_t collected_ = 0;
  std::uint64_t most_flows_ = 0;
  SpilledCounters spilled_;
  std::uint64_t drained_ = 0;
  std::array<double, kDeviceStages> seconds_{};
};

}  // namespace warpmeter

#include "engine_results.cuh"
#include "engine_room.cuh"
#include "engine_steps.cuh"
