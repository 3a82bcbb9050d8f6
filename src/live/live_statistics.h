// The state of a live capture as what its collector is told (Options Records).
#pragma once

#include <cstdint>

#include "core/process_statistics.h"
#include "live/live_state.h"

namespace warpmeter {

ProcessStatistics statistics_of(const LiveState& state);

}  // namespace warpmeter
