#include "stash.h"

#include <algorithm>

#include "record_sink.cuh"
#include "warpmeter/device_meter.h"

namespace warpmeter {
namespace {

bool same_part(const FlowRecord& a, const FlowRecord& b) { return a.arrival == b.arrival && a.key == b.key; }

}  // namespace

template <class IsIt>
FlowRecord Stash::taken(IsIt is_it) {
  const auto known = std::find_if(aside_.begin(), aside_.end(), is_it);
  if (known == aside_.end()) throw DeviceError("the device has lost counters of a flow");
  const FlowRecord counters = *known;
  aside_.erase(known);
  return counters;
}

void Stash::settle(std::vector<FlowRecord>& records) {
  for (const FlowRecord& record : records) {
    if (!(record.flags & kIsAside)) continue;
    const auto known = std::find_if(aside_.begin(), aside_.end(), [&](const auto& a) { return same_part(a, record); });
    if (known == aside_.end()) aside_.push_back(record);
    else add_counters(*known, record);
  }
  std::erase_if(records, [](const FlowRecord& record) { return record.flags & kIsAside; });
  for (FlowRecord& record : records) {
    if (!(record.flags & kHasAside)) continue;
    add_counters(record, taken([&](const FlowRecord& aside) { return same_part(aside, record); }));
    record.flags = static_cast<std::uint8_t>(record.flags & ~kHasAside);
  }
}

std::optional<FlowRecord> Stash::take(const FlowState& state) {
  if (!(state.bits & kCountersAside)) return std::nullopt;
  FlowRecord counters =
      taken([&](const FlowRecord& aside) { return aside.arrival == state.arrival && aside.key == state.key; });
  counters.flags = static_cast<std::uint8_t>(counters.flags & ~kIsAside);
  return counters;
}

}  // namespace warpmeter
