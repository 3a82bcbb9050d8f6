#include "base/program/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <initializer_list>

#include "base/files/descriptor.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

std::atomic<int> wakes = -1;  // an eventfd, for as long as the program runs; -1: nobody has waited yet
static_assert(std::atomic<int>::is_always_lock_free, "signal handlers load it");

}  // namespace

void wait_for_signal(std::chrono::milliseconds longest) {
  if (wakes < 0) wakes = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  pollfd wanted{.fd = wakes, .events = POLLIN, .revents = 0};
  if (poll(&wanted, 1, static_cast<int>(longest.count())) <= 0) return;
  std::uint64_t count;
  [[maybe_unused]] const auto taken = read(wanted.fd, &count, sizeof count);
}

void end_wait_for_signal() {
  const int before = errno;
  const std::uint64_t one = 1;
  if (const int fd = wakes; fd >= 0) {
    [[maybe_unused]] const auto written = write(fd, &one, sizeof one);  // full: nobody waits
  }
  errno = before;
}

namespace {

std::atomic<bool> interrupted = false, is_watched = false, is_held = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler stores it");

std::atomic<std::int64_t> first_interrupt_ns = 0, first_terminate_ns = 0;  // when the first SIGINT, SIGTERM came
static_assert(std::atomic<std::int64_t>::is_always_lock_free, "a signal handler stores it");

// Since some moment, and never 0.
std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec + 1;
}

// The second one ends the program. But timeout(1) sends each of its signals twice, to the program and to its group: two
// within this time are one.
bool is_second(int signal) {
  constexpr std::int64_t kOne = 100'000'000;
  if (signal == SIGHUP) return false;  // of a terminal that closes, kernel and shell send one each
  std::int64_t first = 0;
  const std::int64_t now = now_ns();
  std::atomic<std::int64_t>& first_ns = signal == SIGINT ? first_interrupt_ns : first_terminate_ns;
  return !first_ns.compare_exchange_strong(first, now) && now - first > kOne;
}

void on_signal(int signal) {
  if (is_second(signal)) {
    const int before = errno;
    struct sigaction ends {};
    ends.sa_handler = SIG_DFL;
    sigaction(signal, &ends, nullptr);
    raise(signal);  // once this handler has returned
    errno = before;
    return;
  }
  interrupted.store(true, std::memory_order_relaxed);
  end_wait_for_signal();
}

void set_mask(int how, std::initializer_list<int> of) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : of) sigaddset(&signals, signal);
  pthread_sigmask(how, &signals, nullptr);
}

void hold(bool held) {
  is_held = held;
  set_mask(held ? SIG_BLOCK : SIG_UNBLOCK, {SIGINT, SIGTERM, SIGHUP, SIGUSR1});
}

}  // namespace

namespace {

// Of what is ended before there is anything to finish.
std::atomic<int> status_of_early_end = static_cast<int>(ExitStatus::interrupted);
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler loads it");

void on_early_signal(int) { _exit(status_of_early_end); }

// `before`: what was to become of the signal so far; null: nobody asks.
void end_early(int signal, struct sigaction* before) {
  struct sigaction ends {};
  ends.sa_handler = on_early_signal;
  sigaction(signal, &ends, before);
}

bool has_default(int signal) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  return now.sa_handler == SIG_DFL;
}

}  // namespace

void hold_signals() { hold(true); }

void let_signals_in() {
  for (const int signal : {SIGINT, SIGTERM}) end_early(signal, nullptr);
  if (has_default(SIGHUP)) end_early(SIGHUP, nullptr);
  hold(false);
}

const std::atomic<bool>& watch_for_interrupt() {
  is_watched = true;
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  if (has_default(SIGHUP)) sigaction(SIGHUP, &action, nullptr);  // neither nohup, nor a service's own
  hold(false);
  return interrupted;
}

EndedBySignals::EndedBySignals() {
  if (!is_held && !is_watched) return;  // who uses libwarpmeter has handlers of his own
  end_early(SIGINT, &interrupt_);
  end_early(SIGTERM, &terminate_);
  if (is_held) set_mask(SIG_UNBLOCK, {SIGINT, SIGTERM});
}

EndedBySignals::~EndedBySignals() {
  if (!is_held && !is_watched) return;
  if (is_held) set_mask(SIG_BLOCK, {SIGINT, SIGTERM});
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

namespace {

ServiceSignals seen;
static_assert(std::atomic<unsigned>::is_always_lock_free, "signal handlers count in it");

void on_service_signal(int signal) {
  auto& count = signal == SIGHUP ? seen.hang_ups : seen.questions;
  count.fetch_add(1, std::memory_order_relaxed);
  end_wait_for_signal();
}

bool terminal_is_there() { return static_cast<bool>(Descriptor(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC))); }

}  // namespace

// When a terminal is hung up, the processes that were started from it have none any more (credentials(7)).
bool ServiceSignals::terminal_is_gone() const { return has_terminal && !terminal_is_there(); }

const ServiceSignals& watch_for_service_signals() {
  status_of_early_end = static_cast<int>(ExitStatus::ok);
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
