// Ends connections that have lived for too long: a client that sends or takes a byte now and then is never silent.
//
// The thread that serves is given the lowest priority on its first connection: metering comes first.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

namespace warpmeter {

class ConnectionTimes {
 public:
  // Has a thread of its own, which shuts down both sides of the sockets of such connections.
  explicit ConnectionTimes(std::chrono::milliseconds longest);

  // From the thread that serves: `socket` is open until ended() has returned.
  void began(int socket);
  void ended(int socket);

 private:
  using Clock = std::chrono::steady_clock;
  void watch(const std::stop_token& stop);

  const std::chrono::milliseconds longest_;
  std::mutex mutex_;  // of what follows
  std::condition_variable_any changed_;
  std::map<int, Clock::time_point> began_;  // by socket
  bool is_nice_ = false;
  std::jthread thread_;
};

}  // namespace warpmeter
