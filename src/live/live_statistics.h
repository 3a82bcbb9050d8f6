// The state of a live capture as what its collector is told (Options Records).
#pragma once

#include <cstdint>

#include "live/live_state.h"
#include "warpmeter/process_statistics.h"

namespace warpmeter {

// `told_before`: Data Records of such statistics, which the counters of the export have among the others.
ProcessStatistics statistics_of(const LiveState& state, std::uint64_t told_before);

}  // namespace warpmeter
