#include "base/program/signal_wait.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

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

}  // namespace warpmeter::inline base
