// The signals of a program that runs as a service, besides those that end it (interrupt.h): SIGHUP rotates, SIGUSR1
// asks how far it has come. They are counted here, and acted on by whoever looks.
//
// A SIGHUP because the terminal has gone, which the program was started from, is none of these: see terminal_is_gone().
// One that is ignored at the start, as under nohup, stays so.
#pragma once

#include <atomic>

namespace warpmeter::inline base {

struct ServiceSignals {
  std::atomic<unsigned> hang_ups = 0;   // SIGHUP
  std::atomic<unsigned> questions = 0;  // SIGUSR1
  bool has_terminal = false;            // the program was started from one

  // The terminal that it was started from was closed: nobody can tell it anything any more.
  bool terminal_is_gone() const;
};

// Installs the handlers, also in place of one for SIGHUP. Before watch_for_interrupt(), that what was held back until
// then comes to these.
const ServiceSignals& watch_for_service_signals();

}  // namespace warpmeter::inline base
