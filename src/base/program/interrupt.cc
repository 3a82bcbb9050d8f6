#include "base/program/interrupt.h"

#include <csignal>

#include "base/program/signal_wait.h"

namespace warpmeter::inline base {
namespace {

std::atomic<bool> interrupted = false, is_watched = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores it");

void on_signal(int) {
  interrupted.store(true, std::memory_order_relaxed);
  end_wait_for_signal();
}

void set_mask(int how) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) sigaddset(&signals, signal);
  sigprocmask(how, &signals, nullptr);
}

}  // namespace

void hold_signals() { set_mask(SIG_BLOCK); }
void let_signals_in() { set_mask(SIG_UNBLOCK); }

const std::atomic<bool>& watch_for_interrupt() {
  is_watched = true;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESETHAND;  // the second signal finds the default again
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hang_up {};
  sigaction(SIGHUP, nullptr, &hang_up);
  if (hang_up.sa_handler == SIG_DFL) {  // neither nohup, nor a service's own
    action.sa_flags = 0;                // of a terminal that closes, kernel and shell send one each
    sigaction(SIGHUP, &action, nullptr);
  }
  let_signals_in();
  return interrupted;
}

EndedBySignals::EndedBySignals() {
  if (!is_watched) return;
  struct sigaction ends {};
  ends.sa_handler = SIG_DFL;
  sigaction(SIGINT, &ends, &interrupt_);
  sigaction(SIGTERM, &ends, &terminate_);
}

EndedBySignals::~EndedBySignals() {
  if (!is_watched) return;
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

}  // namespace warpmeter::inline base
