#include "metrics/connection_times.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <utility>

namespace warpmeter {
namespace {

constexpr int kLowestPriority = 19;

}  // namespace

ConnectionTimes::ConnectionTimes(std::chrono::milliseconds longest)
    : longest_(longest), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void ConnectionTimes::began(int socket) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_nice_, true)) setpriority(PRIO_PROCESS, 0, kLowestPriority);  // on Linux, of this thread
  began_[socket] = Clock::now();
  changed_.notify_one();
}

void ConnectionTimes::ended(int socket) {
  const std::lock_guard lock(mutex_);
  began_.erase(socket);
}

void ConnectionTimes::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !began_.empty(); })) {
    changed_.wait_for(lock, stop, longest_ / 4, [] { return false; });
    for (const auto& [socket, since] : began_) {
      if (Clock::now() - since >= longest_) shutdown(socket, SHUT_RDWR);
    }
  }
}

}  // namespace warpmeter
