// The state of a live capture as what its collector is told (Options Records).
#pragma once

#include <cstdint>

#include "core/process_statistics.h"
#include "live/live_state.h"

namespace warpmeter {

// `told_before`: Data Records of such statistics, which the counters of the export have among the others.
ProcessStatistics statistics_of(const LiveState& state, std::uint64_t told_before);

}  // namespace warpmeter
