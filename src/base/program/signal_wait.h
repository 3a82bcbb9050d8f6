// Waiting without looking again and again whether a signal has come: the handlers of interrupt.h and service_signals.h
// end a wait, whichever thread they run on.
//
// Threads: one waits; any may end its wait, and so may signal handlers.
#pragma once

#include <chrono>

namespace warpmeter::inline base {

// Until a signal has come since it was called last, or for so long. Where the system has no descriptor left: for so
// long.
void wait_for_signal(std::chrono::milliseconds longest);

void end_wait_for_signal();

}  // namespace warpmeter::inline base
