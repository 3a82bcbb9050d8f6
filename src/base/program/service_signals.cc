#include "base/program/service_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "base/program/signal_wait.h"

namespace warpmeter::inline base {
namespace {

ServiceSignals seen;
static_assert(std::atomic<unsigned>::is_always_lock_free, "signal handlers count in it");

void on_service_signal(int signal) {
  auto& count = signal == SIGHUP ? seen.hang_ups : seen.questions;
  count.fetch_add(1, std::memory_order_relaxed);
  end_wait_for_signal();
}

bool terminal_is_there() {
  const int fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return false;
  close(fd);
  return true;
}

}  // namespace

// When a terminal is hung up, the processes that were started from it have none any more (credentials(7)).
bool ServiceSignals::terminal_is_gone() const { return has_terminal && !terminal_is_there(); }

const ServiceSignals& watch_for_service_signals() {
  seen.has_terminal = terminal_is_there();
  struct sigaction action {};
  action.sa_handler = on_service_signal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  struct sigaction hang_up {};
  sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  return seen;
}

}  // namespace warpmeter::inline base
