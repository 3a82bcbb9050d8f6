// The state of a live capture in words: in one line for a terminal or a service manager, and as a summary so far.
#pragma once

#include <string>
#include <vector>

#include "command/live/live_state.h"

namespace warpmeter::inline command {

// What happened between two states: rates, losses, flows, and who sends most, in bytes a second.
std::string status_line(const LiveState& now, const LiveState& before, const std::vector<TopHost>& talkers);

// For people who ask how far it is (SIGUSR1): several lines.
std::string summary_so_far(const LiveState& state);

// At most so many columns, so that a terminal does not break the line: "..." is where it was cut.
std::string cut_to_columns(std::string line, std::size_t columns);

}  // namespace warpmeter::inline command
