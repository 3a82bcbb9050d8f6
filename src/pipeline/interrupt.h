// SIGINT and SIGTERM ask the program to finish early, with its output complete and valid. A second one ends it at once.
#pragma once

#include <atomic>

namespace warpmeter {

// Installs the handlers; the flag turns true on the first signal and stays so.
const std::atomic<bool>& watch_for_interrupt();

}  // namespace warpmeter
