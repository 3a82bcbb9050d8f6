// SIGINT, SIGTERM and SIGHUP ask the program to finish early, with its output complete and valid. A second SIGINT or
// SIGTERM ends it at once.
//
// SIGHUP that is ignored at the start, as under nohup, stays so. SIGINT does not: shells ignore it for what a script
// starts in the background, and who then sends it to this very process means it.
#pragma once

#include <atomic>

namespace warpmeter {

// Installs the handlers; the flag turns true on the first signal and stays so.
const std::atomic<bool>& watch_for_interrupt();

}  // namespace warpmeter
