// The state of a live capture as what its collector is told (Options Records).
#pragma once

#include <cstdint>

#include "command/live/live_state.h"
#include "core/process_statistics.h"

namespace warpmeter::inline command {

ProcessStatistics statistics_of(const LiveState& state);

}  // namespace warpmeter::inline command
