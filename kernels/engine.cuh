// The engine of a DeviceMeter: which of its parts does what when. A template over the device, so that tests run the
// same engine on the CPU:
//
//   CudaDevice   kernels/cuda_device.cuh
//   HostDevice   tests/kernels/host_device.h
//
// A batch goes through three queues. "in": it is copied to device memory (BatchInput). "compute", in trace
// order: room for its flows (FlowRoomKeeper), then the kernels (BatchSteps), over the memory of flows (FlowMemory) and,
// under method five-tuple, of segments (SegmentMemory). "out": what ended is copied back (BatchResults). Two batches
// are in flight: while one is computed, the next is copied in and the last one copied out.
//
// The problem: segments of a flow must be taken in order, each depends on the state that the one before has left; yet
// a GPU is fast only where many thousands of threads do the same. A batch has few segments of most flows, and very
// many of some.
//
// The idea is to make independent work of it. Every segment finds the id of its flow in a hash table, all at once. The
// batch is sorted by id, stably, so that a flow's segments lie side by side, in order. Flows do not know of each
// other: a tile of lanes takes each. And within a flow nearly all segments are the next in order, whose effect is a
// sum: neighbours combine, pairs of them combine, as in any reduction, and the sum is added to the state at once
// (meter_flows.cuh). Only segments that ask for more are taken one by one, by the functions that the CPU uses
// (flow_step.cuh).
//
// Nothing is approximated for lack of room. A key without a free state, or a flow whose holes no longer fit, is the
// CPU's from there on: the engine gives back its segments, and its state as it was before the first of them.
//
// Kernels of a batch run in one queue, in the order of their launches, so that what one has written the next may read.
// Only copies are beside them. All behind the first kernel is one graph (BatchGraphs), but of one batch in sixteen,
// which is given call by call to see how long its stages take. What the host learns of a batch it reads from a copy of
// its counts, when the batch is collected.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "batch_graphs.cuh"
#include "batch_input.cuh"
#include "batch_results.cuh"
#include "batch_slot.cuh"
#include "batch_steps.cuh"
#include "core/device_meter.h"
#include "device_memory.cuh"
#include "device_plan.h"
#include "end_flows.cuh"
#include "flow_memory.cuh"
#include "flow_room_keeper.cuh"
#include "flow_step.cuh"
#include "segment_memory.cuh"

namespace warpmeter {

template <class Device>
class Engine : public DeviceMeter {
 public:
  // Throws DeviceError.
  Engine(std::unique_ptr<Device> device, const DeviceMeterOptions& options)
      : device_(std::move(device)),
        options_(options),
        plan_(plan_device(options, options.memory ? options.memory : device_->usable_memory())),
        flows_(*device_, options_, plan_),
        segments_(*device_, options_, plan_),
        room_(*device_, options_, plan_, flows_),
        input_(*device_, options_, plan_),
        steps_(*device_, options_, plan_, flows_, segments_),
        results_(*device_, flows_, std::size_t{options.batch} + plan_.leaving) {
    for (Slot& slot : slots_) {
      slot = Slot(*device_, plan_.before, options.batch, plan_.leaving);
      slot.room = {.given = 0, .free = plan_.flows, .released = 0, .open = 1, .refused = 0, .lost = 0};
    }
    const auto start = device_->now();
    flows_.clear();
    device_->finish(Queue::compute);  // throws if that failed: else graphs would be found to be what fails
    add_seconds(DeviceStage::clear_flows, device_->seconds_since(start));
    if (is_exact() && device_->has_graphs()) make_graphs();
  }
  ~Engine() override { device_->finish(); }

  std::string name() const override { return device_->name(); }
  std::string remark() const override {
    if (graphs_.why_none().empty()) return "";
    return "the GPU is given the work of batches piece by piece, which is slower: " + graphs_.why_none();
  }
  std::uint64_t block() const override { return plan_.block; }
  std::pmr::memory_resource& batch_memory() override { return device_->host_memory(); }

  void submit(const SegmentSpan& batch) override {
    slot_of(submitted_).expires = false;
    start(batch);
  }

  void expire(std::int64_t watermark_ns) override {
    Slot& slot = slot_of(submitted_);
    slot.expires = true;
    *slot.host_watermark_ns.get() = watermark_ns;
    start({});
  }

  void collect(Result& result) override {
    device_->enter_thread();
    Slot& slot = slot_of(collected_);
    device_->wait_on_host(slot.points[static_cast<int>(Point::end)]);
    const BatchCounts counts = *slot.host_counts.get();
    const auto start = device_->now();
    results_.collect(slot, counts, result);
    result.idle_left = counts.idle - std::min(counts.idle, plan_.leaving);
    result.jumps = counts.jumps;
    add_seconds(DeviceStage::copy_out, device_->seconds_since(start));
    add_stage_times(slot);
    note_room(slot, counts.room);
    ++collected_;
  }

  void finish() noexcept override { device_->finish(); }

  std::uint32_t room_again() override { return room_.room_again(slot_of(submitted_).room, submitted_); }
  void take_again(std::span<const FlowOnCpu> on_cpu) override {
    device_->enter_thread();
    room_.take_again(on_cpu, submitted_);
  }

  std::int64_t latest_ns() override {
    device_->enter_thread();
    return flows_.latest_ns();
  }

  bool drain(std::int64_t trace_end_ns, std::vector<Partial>& ended) override {
    device_->enter_thread();
    ended.clear();
    Slot& slot = slots_[0];
    const std::uint64_t most = std::min(options_.batch, kMostDrained);
    const auto count = static_cast<std::uint32_t>(std::min(room_.ids_used() - drained_, most));
    if (count == 0) return false;
    device_->launch(flows_.clear_counts(), 1);
    for_method(options_.meter.method, [&](auto method) {
      const FlowsRef flows = flows_.ref(slot, segments_.block());
      device_->launch(DrainFlows<method>{flows, static_cast<std::uint32_t>(drained_), trace_end_ns}, count);
    });
    copy_counts(slot);
    device_->finish(Queue::compute);
    const auto start = device_->now();
    results_.collect_partials(slot, *slot.host_counts.get(), ended);
    add_seconds(DeviceStage::copy_out, device_->seconds_since(start));
    drained_ += count;
    return true;
  }

  std::uint64_t flows() override { return most_flows_; }
  std::array<double, kDeviceStages> stage_seconds() const override {
    std::array<double, kDeviceStages> all = seconds_;
    const double share =
        timed_segments_ ? static_cast<double>(segments_collected_) / static_cast<double>(timed_segments_) : 1;
    for (int i = 0; i < kDeviceStages; ++i) all[i] += timed_seconds_[i] * share;
    return all;
  }

 private:
  using Slot = BatchSlotOnDevice<Device>;
  using Graph = typename BatchGraphs<Device>::Graph;
  static constexpr std::uint64_t kTimedShare = 16;

  bool is_exact() const { return options_.meter.method == Method::exact; }

  Slot& slot_of(std::uint64_t batch) { return slots_[batch % kMostInFlight]; }

  void start(const SegmentSpan& batch) {
    device_->enter_thread();
    Slot &slot = slot_of(submitted_), &previous = slot_of(submitted_ + 1);
    const bool has_turn = submitted_ % kTimedShare == 0;
    const Graph* graph = has_turn ? nullptr : graphs_.of(submitted_, input_.before(), batch.count);
    slot.timed = !graph;
    input_.bring(batch, slot);
    if (batch.count) slot.block = block_of(batch.number(0), plan_.block);
    compute(slot, previous, graph);
    ++submitted_;
  }

  void compute(Slot& slot, const Slot& previous, const Graph* graph) {
    reach(slot, Point::begin);
    if (!is_exact() && slot.count) segments_.turn_to(slot.block, slot.count);
    if (!is_exact()) reach(slot, Point::segments_cleared);
    const bool begun = room_.make_room(slot, previous.count + slot.count, submitted_, segments_.block());
    const std::uint32_t size = graph ? graph->size : slot.count;
    const std::uint32_t elements = steps_.elements(slot, graph, size);
    steps_.unpack(slot, previous, !begun, size, elements);
    room_.ids_taken(slot.count);
    if (graph) device_->launch_graph(graph->graph);
    else meter(slot, size, elements);
    device_->record(Queue::compute, slot.points[static_cast<int>(Point::end)]);
  }

  // All of a batch that is behind its first kernel. It is asked for now, or captured for batches of up to `size`
  // segments.
  void meter(Slot& slot, std::uint32_t size, std::uint32_t elements) {
    const BatchView view = steps_.view(slot, size);
    steps_.find_flows(view);
    reach(slot, Point::flows_found);
    steps_.sort(view, elements);
    steps_.mark_segments(slot, view, elements);
    if (!is_exact()) steps_.find_retransmissions(view);
    reach(slot, Point::segments_found);
    steps_.meter_flows(slot, view);
    copy_counts(slot);
  }

  void make_graphs() {
    graphs_.make(*device_, plan_.before, options_.batch, [this](unsigned number, std::uint32_t size) {
      Slot& slot = slots_[number];
      meter(slot, size, steps_.elements(slot, true, size));
    });
  }

  void reach(Slot& slot, Point point) {
    if (slot.timed) device_->record(Queue::compute, slot.points[static_cast<int>(point)]);
  }

  void copy_counts(Slot& slot) {
    device_->copy_out(Queue::compute, slot.host_counts.get(), flows_.counts(), sizeof(BatchCounts));
  }

  void note_room(Slot& slot, const FlowRoom& room) {
    if (room.lost) throw DeviceError("a flow found no place in the flow table when it was rehashed");
    slot.room = room;
    most_flows_ = std::max<std::uint64_t>(most_flows_, plan_.flows - (room.free - room.given) - room.released);
  }

  void add_seconds(DeviceStage stage, double seconds) { seconds_[static_cast<int>(stage)] += seconds; }
  // All batches are taken to be like those that were timed.
  void add_stage_times(Slot& slot) {
    segments_collected_ += slot.count;
    if (!slot.timed) return;
    timed_segments_ += slot.count;
    const auto add = [&](DeviceStage stage, Point from, Point to) {
      timed_seconds_[static_cast<int>(stage)] +=
          device_->seconds_between(slot.points[static_cast<int>(from)], slot.points[static_cast<int>(to)]);
    };
    add(DeviceStage::copy_in, Point::copy_begin, Point::copy_end);
    if (!is_exact()) add(DeviceStage::clear_segments, Point::begin, Point::segments_cleared);
    add(DeviceStage::insert_flows, is_exact() ? Point::begin : Point::segments_cleared, Point::flows_found);
    add(DeviceStage::insert_segments, Point::flows_found, Point::segments_found);
    add(DeviceStage::insert_flows, Point::segments_found, Point::end);
  }

  std::unique_ptr<Device> device_;  // outlives all that follows
  const DeviceMeterOptions options_;
  const DevicePlan plan_;
  FlowMemory<Device> flows_;
  SegmentMemory<Device> segments_;

  // Of submit(), expire(), room_again() and take_again(). The ids used are looked at by drain(), too, when nothing else
  // runs.
  FlowRoomKeeper<Device> room_;
  BatchInput<Device> input_;
  BatchSteps<Device> steps_;
  Slot slots_[kMostInFlight];
  BatchGraphs<Device> graphs_;
  std::uint64_t submitted_ = 0;

  // Of collect() and drain().
  BatchResults<Device> results_;
  std::uint64_t collected_ = 0;
  std::uint64_t drained_ = 0;  // flow ids
  std::uint64_t most_flows_ = 0;
  std::array<double, kDeviceStages> seconds_{}, timed_seconds_{};  // measured by the host; on the device's clock
  std::uint64_t segments_collected_ = 0, timed_segments_ = 0;
};

}  // namespace warpmeter
