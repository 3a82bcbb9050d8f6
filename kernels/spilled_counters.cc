#include "spilled_counters.h"

#include <algorithm>
#include <utility>

#include "core/device_meter.h"

namespace warpmeter {

SpilledCounters::Place SpilledCounters::find(const FlowKey& key, std::uint64_t arrival) {
  return std::find_if(spilled_.begin(), spilled_.end(),
                      [&](const Partial& spilled) { return spilled.arrival == arrival && spilled.key == key; });
}

void SpilledCounters::add(const Partial& counters) {
  const Place known = find(counters.key, counters.arrival);
  if (known == spilled_.end()) spilled_.push_back(counters);
  else add_counters(*known, counters);
}

Partial SpilledCounters::take(const FlowKey& key, std::uint64_t arrival) {
  const Place known = find(key, arrival);
  if (known == spilled_.end()) throw DeviceError("the counters that a flow had spilled did not come");
  const Partial counters = *known;
  spilled_.erase(known);
  return counters;
}

void SpilledCounters::join(std::span<const DeviceOutput> leaving, std::vector<Partial>& partials) {
  for (const DeviceOutput& one : leaving) {
    switch (one.kind) {
      case DeviceOutput::Kind::partial_with_spilled: unsettled_.push_back(partials.size()); [[fallthrough]];
      case DeviceOutput::Kind::partial: partials.push_back(one.partial); break;
      case DeviceOutput::Kind::spilled_counters: add(one.partial); break;
      case DeviceOutput::Kind::state: break;
    }
  }
}

void SpilledCounters::settle(std::vector<Partial>& partials) {
  for (const std::size_t place : std::exchange(unsettled_, {})) {
    Partial& partial = partials[place];
    add_counters(partial, take(partial.key, partial.arrival));
  }
}

std::optional<FlowRecord> SpilledCounters::take(const FlowState& state) {
  if (!(state.bits & kCountersSpilled)) return std::nullopt;
  return take(state.key, state.arrival);
}

}  // namespace warpmeter
