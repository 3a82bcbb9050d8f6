// Counters that a flow's device state handed over before they could overflow, until the record of that part comes.
// Threads: one owner.
#pragma once

#include <optional>
#include <vector>

#include "warpmeter/flow_record.h"
#include "warpmeter/flow_state.h"

namespace warpmeter {

class Stash {
 public:
  // Takes the handed-over counters out of `records` and adds them to the records of their parts, whenever those come.
  // Here and below: throws DeviceError if they are not there although the device says so.
  void settle(std::vector<FlowRecord>& records);

  // Those of the part that this state describes; nothing if there are none.
  std::optional<FlowRecord> take(const FlowState& state);

 private:
  template <class IsIt>
  FlowRecord taken(IsIt is_it);

  std::vector<FlowRecord> aside_;  // a flow needs 4 G packets to get here: few, if any
};

}  // namespace warpmeter
