// Counters that a flow's device state handed over before they could overflow, until the partial of that part comes.
// Threads: one owner.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/flow_state.h"
#include "core/partial.h"
#include "device_output.cuh"

namespace warpmeter {

class SpilledCounters {
 public:
  // Keeps the spilled counters among `leaving`, and puts its partials behind `partials`.
  void join(std::span<const DeviceOutput> leaving, std::vector<Partial>& partials);

  // Adds to each of them what its part had spilled, which may have come behind it. Throws DeviceError if that has not
  // come. REQUIRES: of the calls of join() since the last time, these are the partials.
  void settle(std::vector<Partial>& partials);

  // Those of the part that this state describes; nothing if it has spilled none. Throws DeviceError if there are none.
  std::optional<FlowRecord> take(const FlowState& state);

 private:
  void add(const Partial& counters);
  using Place = std::vector<Partial>::iterator;
  Place find(const FlowKey& key, std::uint64_t arrival);
  Partial take(const FlowKey& key, std::uint64_t arrival);

  std::vector<Partial> spilled_;        // a flow needs 4 G packets to get here: few, if any
  std::vector<std::size_t> unsettled_;  // places of partials
};

}  // namespace warpmeter
