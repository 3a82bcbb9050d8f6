#include "stash.h"

#include <algorithm>

#include "record_sink.cuh"

namespace warpmeter {
namespace {

bool same_part(const FlowRecord& a, const FlowRecord& b) { return a.arrival == b.arrival && a.key == b.key; }

}  // namespace

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
    const auto known = std::find_if(aside_.begin(), aside_.end(), [&](const auto& a) { return same_part(a, record); });
    add_counters(record, *known);
    aside_.erase(known);
    record.flags = static_cast<std::uint8_t>(record.flags & ~kHasAside);
  }
}

std::optional<FlowRecord> Stash::take(const FlowState& state) {
  if (!(state.bits & kCountersAside)) return std::nullopt;
  const auto known = std::find_if(aside_.begin(), aside_.end(),
                                  [&](const auto& a) { return a.arrival == state.arrival && a.key == state.key; });
  FlowRecord counters = *known;
  counters.flags = static_cast<std::uint8_t>(counters.flags & ~kIsAside);
  aside_.erase(known);
  return counters;
}

}  // namespace warpmeter
