// Flows that a device leaves to the CPU: those that it hands over, and those that live there already.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/flow_state.h"
#include "core/holes.h"
#include "core/stray.h"
#include "warpmeter/flow_key.h"
#include "warpmeter/flow_record.h"

namespace warpmeter {

// A flow that began on the device and goes on on the CPU, in the middle of a batch. The state's handles mean nothing.
struct CpuTakeover {
  FlowState state;
  std::vector<Hole> holes;                     // ascending
  std::optional<FlowRecord> spilled_counters;  // where the state has kCountersSpilled
  std::optional<StrayState> stray;             // where it has some
};

// A flow that lives on the CPU.
struct FlowOnCpu {
  FlowKey key;
  std::int64_t end_ns;
};

}  // namespace warpmeter
