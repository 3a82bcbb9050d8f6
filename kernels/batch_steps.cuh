// The kernels that a batch goes through on the device, in their order: columns, flow ids, duplicates, the segment
// tables of method five-tuple, then the segments sorted by flow are brought to the flows' states. Owns the workspace
// that batches use in turn.
#pragma once

#include <algorithm>
#include <cstdint>

#include "batch_slot.cuh"
#include "core/device_meter.h"
#include "device_plan.h"
#include "find_flows.cuh"
#include "find_retransmissions.cuh"
#include "flow_memory.cuh"
#include "flow_step.cuh"
#include "mark_segments.cuh"
#include "meter_flows.cuh"
#include "segment_memory.cuh"
#include "unpack_segments.cuh"

namespace warpmeter {

// How many bits numbers up to `largest` have.
inline unsigned bits_of(std::uint32_t largest) {
  unsigned bits = 1;
  while (bits < 32 && largest >> bits) ++bits;
  return bits;
}

template <class Device>
class BatchSteps {
 public:
  BatchSteps(Device& device, const DeviceMeterOptions& options, const DevicePlan& plan, FlowMemory<Device>& flows,
             SegmentMemory<Device>& segments)
      : device_(device),
        options_(options),
        plan_(plan),
        flows_(flows),
        segments_(segments),
        work_(device, plan.before, options.batch, options.piece) {
    device_.prepare_sort(plan.before + 2 * options.batch);
  }

  // `size`: how many segments the kernels take it for: all there are, or more, the rest of which is padding.
  BatchView view(const BatchSlotOnDevice<Device>& slot, std::uint32_t size) const {
    return {slot.key.data(), slot.hash.data(),    slot.segment.data(), slot.number.data(),        size,
            slot.before,     segments_.earlier(), work_.key[0].data(), work_.segment_slot.data(), work_.mark.data(),
            plan_.flows};
  }

  // Elements of the columns, those before the batch among them. A graph has room for all that there may be.
  std::uint32_t elements(const BatchSlotOnDevice<Device>& slot, bool is_graph, std::uint32_t size) const {
    return (is_graph ? plan_.before : slot.before) + size;
  }

  // The columns of a batch, and the hashes of identities that mark_segments() sorts. `previous`: the batch before;
  // `begins`: nothing else of the batch came before.
  void unpack(const BatchSlotOnDevice<Device>& slot, const BatchSlotOnDevice<Device>& previous, bool begins,
              std::uint32_t size, std::uint32_t elements) {
    device_.launch(UnpackSegments{slot.packed(),
                                  slot.words_end(),
                                  slot.first_number,
                                  options_.hash_seed,
                                  IdentitySeed(options_.hash_seed),
                                  slot.columns(),
                                  previous.columns_end(),
                                  slot.before,
                                  slot.count,
                                  size,
                                  plan_.flows,
                                  identity_bits_,
                                  work_.key[0].data(),
                                  work_.position[0].data(),
                                  begins,
                                  flows_.clear_counts(),
                                  {flows_.room(), slot.count}},
                   elements);
  }

  void find_flows(const BatchView& view) {
    const std::uint32_t* segments = &flows_.counts()->segments;
    device_.launch_counted(ClaimFlows{view, flows_.table(), claims()}, view.count, segments, options_.tile);
    device_.launch_counted(SettleFlows{view, flows_.table(), claims()}, view.count, segments);
  }

  // By flow, then by identity: what unpack() and find_flows() have written.
  void sort(const BatchView& view, std::uint32_t elements) {
    if (view.count == 0) return;
    const std::uint32_t largest = plan_.flows + (std::uint32_t{1} << identity_bits_);
    device_.sort({work_.key[0].data(), work_.position[0].data(), work_.key[1].data(), work_.position[1].data()},
                 view.count + elements, bits_of(largest));
  }

  // Behind sort().
  void mark_segments(const BatchSlotOnDevice<Device>& slot, const BatchView& view, std::uint32_t elements) {
    if (view.count == 0) return;
    const std::uint32_t n = view.count;
    const FindDuplicates copies{view, work_.key[1].data() + n, work_.position[1].data() + n, options_.meter.duplicates};
    const ListRuns runs{work_.key[1].data(), n, plan_.flows, work_.run.data(), &flows_.counts()->runs};
    launch_warps(MarkSegments{copies, elements, flows_.overflow_of(slot), runs, flows_.counts()}, elements);
  }

  // Method five-tuple. What claims took is free by now.
  void find_retransmissions(const BatchView& view) {
    const SegmentTables tables = segments_.tables();
    const std::int64_t gap_ns = options_.meter.five_tuple.gap_ns;
    const std::uint32_t n = view.count;
    std::uint32_t *slot = work_.slot_of.data(), *position = work_.new_flow.data();
    device_.launch(InsertSegments{view, tables}, n, options_.tile);
    device_.launch(JudgeSegments{view, tables.current}, n);
    if (!gap_ns) return;
    device_.sort({view.segment_slot, work_.position[0].data(), slot, position}, n, 32);
    device_.launch(JudgeByTime{view, tables, slot, position, gap_ns}, n);
  }

  void meter_flows(const BatchSlotOnDevice<Device>& slot, const BatchView& view) {
    const std::uint32_t n = view.count;
    const FlowRuns runs{work_.key[1].data(), work_.position[1].data(), work_.run.data()};
    const FlowsRef flows = flows_.ref(slot, segments_.block());
    for_method(options_.meter.method, [&](auto method) {
      auto* piece = reinterpret_cast<SegmentSum<NumbersOf<method>>*>(work_.piece.data());
      device_.launch(SumPieces<method>{view, runs, options_.piece, piece}, n / options_.piece, options_.tile);
      device_.launch_counted(MeterFlows<method>{view, runs, flows, piece, options_.piece}, n, &flows_.counts()->runs,
                             options_.tile);
    });
  }

 private:
  FlowClaims claims() const { return {work_.slot_of.data(), work_.new_flow.data()}; }

  // A lane an item, in tiles as large as there are.
  template <class Kernel>
  void launch_warps(const Kernel& kernel, std::uint32_t items) {
    device_.launch(kernel, (items + Device::kWarp - 1) / Device::kWarp, Device::kWarp);
  }

  Device& device_;
  const DeviceMeterOptions& options_;
  const DevicePlan& plan_;
  FlowMemory<Device>& flows_;
  SegmentMemory<Device>& segments_;
  const unsigned identity_bits_ = identity_bits(plan_.before);
  Workspace<Device> work_;
};

}  // namespace warpmeter
