// Counters that a flow's device state handed over before they could overflow, until the partial of that part comes.
// Threads: one owner.
#pragma once

#include <optional>
#include <vector>

#include "core/flow_state.h"
#include "core/partial.h"
#include "leaving.cuh"

namespace warpmeter {

class SpilledCounters {
 public:
  // Keeps the spilled counters among `leaving`, and adds its partials to `partials`, each with what its part had
  // spilled. Throws DeviceError if that is not there.
  void join(const std::vector<Leaving>& leaving, std::vector<Partial>& partials);

  // Those of the part that this state describes; nothing if it has spilled none. Throws DeviceError if there are none.
  std::optional<FlowRecord> take(const FlowState& state);

 private:
  void add(const Partial& counters);
  using Place = std::vector<Partial>::iterator;
  Place find(const FlowKey& key, std::uint64_t arrival);
  Partial take(const FlowKey& key, std::uint64_t arrival);

  std::vector<Partial> spilled_;  // a flow needs 4 G packets to get here: few, if any
};

}  // namespace warpmeter
