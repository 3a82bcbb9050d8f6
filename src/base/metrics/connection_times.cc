#include "base/metrics/connection_times.h"

#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace warpmeter::inline base {
namespace {

constexpr int kLowestPriority = 19;
constexpr std::chrono::milliseconds kAsksWithin{200};  // who does as clients do

}  // namespace

ConnectionTimes::ConnectionTimes(std::size_t places, std::chrono::milliseconds longest)
    : places_(places), longest_(longest), thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void ConnectionTimes::began(int socket) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(is_nice_, true)) setpriority(PRIO_PROCESS, 0, kLowestPriority);  // on Linux, of this thread
  open_[socket] = {.since = Clock::now()};
  make_room();
  changed_.notify_one();
}

void ConnectionTimes::asked(int socket) {
  const std::lock_guard lock(mutex_);
  if (const auto found = open_.find(socket); found != open_.end()) found->second.has_asked = true;
}

void ConnectionTimes::ended(int socket) {
  const std::lock_guard lock(mutex_);
  open_.erase(socket);
}

void ConnectionTimes::end(int socket, Connection& connection) {
  connection.is_ending = true;
  shutdown(socket, SHUT_RDWR);
}

void ConnectionTimes::make_room() {
  const Clock::time_point recently = Clock::now() - kAsksWithin;
  const auto rank = [recently](const auto& entry) {
    const Connection& connection = entry.second;
    return std::tuple(connection.is_ending, connection.since >= recently, connection.has_asked, connection.since);
  };
  const auto stay = std::ranges::count_if(open_, [](const auto& entry) { return !entry.second.is_ending; });
  if (static_cast<std::size_t>(stay) <= places_) return;
  const auto oldest = std::ranges::min_element(open_, {}, rank);
  end(oldest->first, oldest->second);
}

void ConnectionTimes::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return !open_.empty(); })) {
    changed_.wait_for(lock, stop, longest_ / 4, [] { return false; });
    for (auto& [socket, connection] : open_) {
      if (Clock::now() - connection.since >= longest_) end(socket, connection);
    }
  }
}

}  // namespace warpmeter::inline base
