#include "device_plan.h"

#include <algorithm>
#include <bit>
#include <string>

#include "batch_slot.cuh"
#include "core/stray.h"
#include "flow_table.cuh"
#include "hole_pool.cuh"
#include "segment_table.cuh"

namespace warpmeter {
namespace {

constexpr double kFlowLoad = 0.6;
// State, strays, free id and, in the worst case, 3 1/3 slots.
constexpr std::uint64_t kBytesPerFlow = sizeof(FlowState) + sizeof(StrayState) + 31;
constexpr std::uint64_t kMostFlows = std::uint64_t{1} << 30;  // ids have 31 bits, slots 32
constexpr std::uint64_t kMostSegmentSlots = 2 * kLargestBlock;
constexpr std::uint64_t kFewestFlowsPerBatch = 2;  // times its packets, each of which might be of another flow
constexpr std::uint64_t kMostEarlier = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostMoreEarlier = std::uint64_t{1} << 16;
// Of what batches leave, for segment tables or for holes; the rest is for flows.
constexpr std::uint64_t kSegmentShare = 2;
constexpr std::uint64_t kHoleShare = 8;
constexpr std::uint64_t kBytesPerHoleUnit = sizeof(HoleUnit) + 12;                        // and 3 places in rings
constexpr std::uint64_t kFewestHoleUnits = std::uint64_t{1} << (2 * (kHoleClasses - 1));  // the largest block
constexpr std::uint64_t kMostHoleUnits = std::uint64_t{1} << 30;
// Of a batch's size, how many idle flows may expire in it.
constexpr std::uint32_t kLeavingShare = 4;
constexpr std::uint32_t kFewestLeaving = 64;

std::uint32_t leaving(const DeviceMeterOptions& o) { return std::max(o.batch / kLeavingShare, kFewestLeaving); }

// Of the window, so many that some frames may hold several.
std::uint32_t earlier_segments(const DeviceMeterOptions& o) {
  const std::uint64_t window = o.meter.duplicates.window;
  return static_cast<std::uint32_t>(window + std::min(7 * window, kMostMoreEarlier));
}

// What batches take, twice where two are in flight: columns, results, marks and what sorting needs.
std::uint64_t batch_bytes(const DeviceMeterOptions& o) {
  const std::uint64_t columns = sizeof(FlowKey) + sizeof(std::uint64_t) + sizeof(Segment) + sizeof(std::uint64_t);
  const std::uint64_t packed = sizeof(PackedSegment) + kMostPackedWords * sizeof(std::uint64_t);
  const std::uint64_t with_earlier = std::uint64_t{o.batch} + earlier_segments(o);
  const std::uint64_t records = std::uint64_t{o.batch} + leaving(o);
  const std::uint64_t twice =
      with_earlier * columns + records * sizeof(DeviceOutput) + o.batch * (packed + sizeof(OverflowSegment));
  return 2 * twice + (with_earlier + o.batch) * 6 * 4 + o.batch * (7 * 4 + sizeof(PieceMemory) / o.piece + 1) +
         (64 << 20);
}

std::uint64_t bytes_per_segment_slot(const DeviceMeterOptions& o) {
  return 2 * (sizeof(SegmentSlot) + (o.meter.five_tuple.gap_ns ? sizeof(std::int64_t) : 0));
}

std::uint64_t power_of_two_for(double used, double load) {
  std::uint64_t slots = 64;
  while (static_cast<double>(slots) * load < used) slots *= 2;
  return slots;
}

std::string mebibytes(std::uint64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

std::uint64_t segment_slots(const DeviceMeterOptions& o, std::uint64_t memory) {
  if (o.meter.five_tuple.block) return power_of_two_for(static_cast<double>(o.meter.five_tuple.block), kSegmentLoad);
  std::uint64_t slots = 64;
  while (slots * 2 <= kMostSegmentSlots && slots * 2 * bytes_per_segment_slot(o) <= memory / kSegmentShare) slots *= 2;
  return slots;
}

// Of flows or hole units, for what is expected of the input: with twice as many as packets nothing has to make room.
std::uint64_t most_needed(const DeviceMeterOptions& o) {
  if (o.most_packets == 0) return UINT64_MAX;
  return std::max<std::uint64_t>(2 * o.most_packets, kFewestFlowsPerBatch * o.batch);
}

std::uint64_t hole_units(const DeviceMeterOptions& o, std::uint64_t memory) {
  if (o.hole_units) return o.hole_units;
  std::uint64_t units = kFewestHoleUnits;
  const std::uint64_t most = std::min(kMostHoleUnits, most_needed(o));
  while (units < most && units * 2 <= kMostHoleUnits && units * 2 * kBytesPerHoleUnit <= memory / kHoleShare)
    units *= 2;
  return units;
}

// Memory for what the method needs beside flows: segment tables or holes.
std::uint64_t plan_method(DevicePlan& plan, const DeviceMeterOptions& o, std::uint64_t memory) {
  if (o.meter.method == Method::exact) {
    plan.hole_units = static_cast<std::uint32_t>(hole_units(o, memory));
    plan.block = kLargestBlock;
    return plan.hole_units * kBytesPerHoleUnit;
  }
  plan.segment_slots = segment_slots(o, memory);
  const auto room = static_cast<std::uint64_t>(static_cast<double>(plan.segment_slots) * kSegmentLoad);
  plan.block = o.meter.five_tuple.block ? o.meter.five_tuple.block : std::min(room, kLargestBlock);
  return plan.segment_slots * bytes_per_segment_slot(o);
}

void check_numbers(const DeviceMeterOptions& o) {
  const bool good_units = o.hole_units == 0 || (o.hole_units <= kMostHoleUnits && std::has_single_bit(o.hole_units));
  if (o.meter.five_tuple.block > kLargestBlock || o.flows > kMostFlows || o.meter.duplicates.window > kMostEarlier ||
      o.piece == 0 || !good_units) {
    throw DeviceError(
        "a memory block, flow table, duplicate window, piece or memory for holes beyond what numbers of "
        "32 bits allow");
  }
}

}  // namespace

DevicePlan plan_device(const DeviceMeterOptions& o, std::uint64_t memory) {
  check_numbers(o);
  DevicePlan plan{};
  plan.before = earlier_segments(o);
  plan.leaving = leaving(o);
  const std::uint64_t for_batches = batch_bytes(o);
  const std::uint64_t left = memory > for_batches ? memory - for_batches : 0;
  const std::uint64_t for_method = plan_method(plan, o, left);
  const std::uint64_t fewest = o.flows ? o.flows : kFewestFlowsPerBatch * o.batch;
  const std::uint64_t needed = for_batches + for_method + fewest * kBytesPerFlow;
  if (needed > memory) {
    const bool exact = o.meter.method == Method::exact;
    const std::string blocks = exact ? "" : " and memory blocks of " + std::to_string(plan.block);
    throw DeviceError("batches of " + std::to_string(o.batch) + " packets" + blocks + " need " + mebibytes(needed) +
                      " of device memory, " + mebibytes(memory) + " can be used: smaller --batch" +
                      (exact ? "" : " or --block"));
  }
  const std::uint64_t fit = (memory - for_batches - for_method) / kBytesPerFlow;
  plan.flows = static_cast<std::uint32_t>(o.flows ? o.flows : std::min({fit, kMostFlows, most_needed(o)}));
  plan.flow_slots = static_cast<std::uint32_t>(power_of_two_for(plan.flows, kFlowLoad));
  plan.bytes = for_batches + for_method + plan.flows * kBytesPerFlow;
  return plan;
}

}  // namespace warpmeter
