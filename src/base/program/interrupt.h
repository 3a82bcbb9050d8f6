// SIGINT, SIGTERM and SIGHUP ask the program to finish early, with its output complete and valid. A second SIGINT or
// SIGTERM ends it at once.
//
// SIGHUP that is ignored at the start, as under nohup, stays so. SIGINT does not: shells ignore it for what a script
// starts in the background, and who then sends it to this very process means it.
//
// A signal that comes before a command watches for it does not end the program halfway, nor is it lost: it is held
// until then. Threads that begin meanwhile never take one.
#pragma once

#include <csignal>

#include <atomic>

namespace warpmeter::inline base {

// Holds these signals, and those of a service (service_signals.h), back until let_signals_in(). First thing in the
// program.
void hold_signals();
// Of a command that watches for none, watch_for_interrupt() of all others.
void let_signals_in();

// Installs the handlers, where SIGHUP has none yet (service_signals.h) of that, too, and lets in what was held back.
// The flag turns true on the first signal and stays so.
const std::atomic<bool>& watch_for_interrupt();

// As long as this lives SIGINT and SIGTERM end the program at once, if they are watched for: for what may take long
// before there is anything to finish. One at a time.
class EndedBySignals {
 public:
  EndedBySignals();
  ~EndedBySignals();
  EndedBySignals(const EndedBySignals&) = delete;
  EndedBySignals& operator=(const EndedBySignals&) = delete;

 private:
  struct sigaction interrupt_ {
  }, terminate_{};
};

}  // namespace warpmeter::inline base
