// The signals that the program acts on: those that interrupt it, those of a service, and waiting for either.
//
// SIGINT, SIGTERM and SIGHUP ask the program to finish early, with its output complete and valid. A second SIGINT or
// SIGTERM ends it at once.
//
// SIGHUP that is ignored at the start, as under nohup, stays so. SIGINT does not: shells ignore it for what a script
// starts in the background, and who then sends it to this very process means it.
//
// A signal that comes before a command watches for it does not end the program halfway, nor is it lost: it is held
// until then. Threads that begin meanwhile never take one.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>

namespace warpmeter::inline base {

// Holds these signals, and those of a service, back until one of the next two is called. First thing in the
// program.
void hold_signals();
// Of a command that has nothing to finish: the signals end the program at once, with the status of what was
// interrupted. A SIGHUP that is ignored stays so.
void let_signals_in();

// Of all others. Installs the handlers, where SIGHUP has none yet (that of a service) of that, too, and lets in what
// was held back. The flag turns true on the first signal and stays so.
const std::atomic<bool>& watch_for_interrupt();

// As long as this lives SIGINT and SIGTERM end the program at once, if they are held back or watched for: for what may
// take long before there is anything to finish. The status is that of what was interrupted; of a service, which has no
// other end than that, 0. One at a time.
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

// The signals of a program that runs as a service, besides those that end it: SIGHUP rotates, SIGUSR1
// asks how far it has come. They are counted here, and acted on by whoever looks.
//
// A SIGHUP because the terminal has gone, which the program was started from, is none of these: see terminal_is_gone().
// One that is ignored at the start, as under nohup, stays so.
struct ServiceSignals {
  std::atomic<unsigned> hang_ups = 0;   // SIGHUP
  std::atomic<unsigned> questions = 0;  // SIGUSR1
  bool has_terminal = false;            // the program was started from one

  // The terminal that it was started from was closed: nobody can tell it anything any more.
  bool terminal_is_gone() const;
};

// Installs the handlers, also in place of one for SIGHUP; from then on the program is a service. Before
// watch_for_interrupt(), that what was held back until then comes to these.
const ServiceSignals& watch_for_service_signals();

// Waits until a signal of either kind has come since it was called last, or for so long; the handlers end the wait,
// whichever thread they run on. Where the system has no descriptor left: for so long. One thread waits.
void wait_for_signal(std::chrono::milliseconds longest);

// From any thread, and from signal handlers.
void end_wait_for_signal();

}  // namespace warpmeter::inline base
