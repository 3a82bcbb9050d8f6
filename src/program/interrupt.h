// SIGINT, SIGTERM and SIGHUP ask the program to finish early, with its output complete and valid. A second SIGINT or
// SIGTERM ends it at once.
//
// SIGHUP that is ignored at the start, as under nohup, stays so. SIGINT does not: shells ignore it for what a script
// starts in the background, and who then sends it to this very process means it.
#pragma once

#include <csignal>

#include <atomic>

namespace warpmeter {

// Installs the handlers; the flag turns true on the first signal and stays so.
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

}  // namespace warpmeter
