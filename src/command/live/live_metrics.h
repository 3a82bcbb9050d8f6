// The state of a live capture as metrics (docs/service.md has the list).
#pragma once

#include <string>

#include "command/live/live_state.h"

namespace warpmeter::inline command {

// `version`: of the program. In the text format of Prometheus, 0.0.4.
std::string live_metrics(const LiveState& state, const std::string& version);

}  // namespace warpmeter::inline command
