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
#include "sort_by_flow.cuh"
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
    device_.prepare_sort(plan.before + options.batch);
  }

  // `size`: how many segments the kernels take it for: all there are, or more, the rest of which is padding.
  BatchView view(const BatchSlotOnDevice<Device>& slot, std::uint32_t size) const {
    return {slot.key.data(), slot.hash.data(),    slot.segment.data(), slot.number.data(),        size,
            slot.before,     segments_.earlier(), work_.flow.data(),   work_.segment_slot.data(), work_.mark.data(),
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
                                  work_.flow.data(),
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
    device_.launch_counted(ClaimFlows{view, flows_.table(), claims()}, view.count, &flows_.counts()->segments,
                           options_.tile);
  }

  // Behind find_flows(), which is settled here, too.
  void mark_segments(const BatchSlotOnDevice<Device>& slot, const BatchView& view, std::uint32_t elements) {
    if (view.count == 0) return;
    device_.sort(to_sort(work_.key[0].data()), elements, identity_bits_);
    const FindDuplicates copies{view, work_.key[1].data(), work_.position[1].data(), options_.meter.duplicates};
    device_.launch(MarkSegments{{view, flows_.table(), claims()}, copies, flows_.overflow_of(slot), flows_.counts()},
                   elements);
  }

  // Method five-tuple.
  void find_retransmissions(const BatchView& view) {
    const SegmentTables tables = segments_.tables();
    const std::int64_t gap_ns = options_.meter.five_tuple.gap_ns;
    const std::uint32_t n = view.count;
    device_.launch(InsertSegments{view, tables}, n, options_.tile);
    device_.launch(JudgeSegments{view, tables.current, work_.key[0].data()}, n);
    if (!gap_ns) return;
    device_.sort(to_sort(work_.key[0].data()), n, 32);
    device_.launch(JudgeByTime{view, tables, work_.key[1].data(), work_.position[1].data(), gap_ns}, n);
  }

  void meter_flows(const BatchSlotOnDevice<Device>& slot, const BatchView& view) {
    const std::uint32_t n = view.count;
    BatchCounts* counts = flows_.counts();
    device_.sort(to_sort(work_.flow.data()), n, bits_of(plan_.flows));
    const FlowRuns runs{work_.key[1].data(), work_.position[1].data(), work_.run.data()};
    launch_warps(ListRuns{runs.flow, n, plan_.flows, work_.run.data(), &counts->runs}, n);
    const FlowsRef flows = flows_.ref(slot, segments_.block());
    for_method(options_.meter.method, [&](auto method) {
      auto* piece = reinterpret_cast<SegmentSum<NumbersOf<method>>*>(work_.piece.data());
      device_.launch(SumPieces<method>{view, runs, options_.piece, piece}, n / options_.piece, options_.tile);
      device_.launch_counted(MeterFlows<method>{view, runs, flows, piece, options_.piece}, n, &counts->runs,
                             options_.tile);
    });
  }

 private:
  FlowClaims claims() const { return {work_.slot_of.data(), work_.new_flow.data()}; }

  // With the positions of the batch.
  PairsToSort to_sort(const std::uint32_t* key) const {
    return {key, work_.position[0].data(), work_.key[1].data(), work_.position[1].data()};
  }

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
