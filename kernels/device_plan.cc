#include "device_plan.h"

#include <algorithm>
#include <string>

#include "flow_table.cuh"
#include "segment_sum.cuh"
#include "segment_table.cuh"

namespace warpmeter {
namespace {

constexpr double kFlowLoad = 0.6;
constexpr std::uint64_t kBytesPerFlow = sizeof(FlowState) + 27;  // its state and, in the worst case, 3 1/3 slots
constexpr std::uint64_t kMostFlows = std::uint64_t{1} << 30;     // ids have 31 bits, slots 32
constexpr std::uint64_t kMostSegmentSlots = 2 * kLargestBlock;
constexpr std::uint64_t kFewestFlows = 1024;
constexpr std::uint64_t kMostEarlier = std::uint64_t{1} << 30;
// Of what batches leave, for segment tables; the rest is for flows.
constexpr std::uint64_t kSegmentShare = 2;

// What batches take, twice where two are under way: columns, results, marks and what sorting needs.
std::uint64_t batch_bytes(const DeviceMeterOptions& o) {
  const std::uint64_t columns = sizeof(FlowKey) + sizeof(std::uint64_t) + sizeof(Segment) + sizeof(std::uint64_t);
  const std::uint64_t with_earlier = o.batch + o.meter.duplicates.window;
  const std::uint64_t twice = with_earlier * columns + o.batch * (sizeof(FlowRecord) + 4);
  return 2 * twice + with_earlier * 6 * 4 + o.batch * (8 * 4 + sizeof(SegmentSum) / o.piece + 1) + (64 << 20);
}

std::uint64_t bytes_per_segment_slot(const DeviceMeterOptions& o) {
  return 2 * (sizeof(SegmentSlot) + (o.meter.five_tuple.gap_ns ? sizeof(std::int64_t) : 0));
}

std::uint64_t power_of_two_for(double used, double load) {
  std::uint64_t slots = 64;
  while (static_cast<double>(slots) * load < used) slots *= 2;
  return slots;
}

std::string gib(std::uint64_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

std::uint64_t segment_slots(const DeviceMeterOptions& o, std::uint64_t memory) {
  if (o.meter.five_tuple.block) return power_of_two_for(static_cast<double>(o.meter.five_tuple.block), kSegmentLoad);
  std::uint64_t slots = 64;
  while (slots * 2 <= kMostSegmentSlots && slots * 2 * bytes_per_segment_slot(o) <= memory / kSegmentShare) slots *= 2;
  return slots;
}

}  // namespace

DevicePlan plan_device(const DeviceMeterOptions& o, std::uint64_t memory) {
  if (o.meter.five_tuple.block > kLargestBlock || o.flows > kMostFlows || o.meter.duplicates.window > kMostEarlier ||
      o.piece == 0) {
    throw DeviceError("a memory block, flow table, duplicate window or piece beyond what numbers of 32 bits allow");
  }
  DevicePlan plan{};
  plan.before = static_cast<std::uint32_t>(o.meter.duplicates.window);
  const std::uint64_t for_batches = batch_bytes(o);
  const std::uint64_t left = memory > for_batches ? memory - for_batches : 0;
  plan.segment_slots = segment_slots(o, left);
  const auto room = static_cast<std::uint64_t>(static_cast<double>(plan.segment_slots) * kSegmentLoad);
  plan.block = o.meter.five_tuple.block ? o.meter.five_tuple.block : std::min(room, kLargestBlock);
  const std::uint64_t for_segments = plan.segment_slots * bytes_per_segment_slot(o);
  const std::uint64_t fewest = o.flows ? o.flows : kFewestFlows;
  const std::uint64_t needed = for_batches + for_segments + fewest * kBytesPerFlow;
  if (needed > memory) {
    throw DeviceError("batches of " + std::to_string(o.batch) + " packets and memory blocks of " +
                      std::to_string(plan.block) + " need " + gib(needed) + " of device memory, " + gib(memory) +
                      " can be used: smaller --batch or --block");
  }
  const std::uint64_t fit = (memory - for_batches - for_segments) / kBytesPerFlow;
  plan.flows = static_cast<std::uint32_t>(o.flows ? o.flows : std::min(fit, kMostFlows));
  plan.flow_slots = static_cast<std::uint32_t>(power_of_two_for(plan.flows, kFlowLoad));
  plan.bytes = for_batches + for_segments + plan.flows * kBytesPerFlow;
  return plan;
}

}  // namespace warpmeter
