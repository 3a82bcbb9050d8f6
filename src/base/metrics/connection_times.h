// Ends connections that have lived for too long: a client that sends or takes a byte now and then is never silent. And
// of more than there are places for, the oldest: at first one that has had the time to ask something and has not, so
// that clients that never do keep nobody away who does.
//
// The thread that serves is given the lowest priority on its first connection: metering comes first.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <thread>

#include "core/thread_annotations.h"

namespace warpmeter::inline base {

class ConnectionTimes {
 public:
  // Has a thread of its own, which shuts down both sides of the sockets of such connections.
  ConnectionTimes(std::size_t places, std::chrono::milliseconds longest);

  // From the thread that serves: `socket` is open until ended() has returned.
  void began(int socket);
  void asked(int socket);  // its request is complete
  void ended(int socket);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    Clock::time_point since;
    bool has_asked = false;
    bool is_ending = false;  // shut down
  };
  void watch(const std::stop_token& stop);
  void make_room();  // REQUIRES: mutex_ is held.
  static void end(int socket, Connection& connection);

  const std::size_t places_;
  const std::chrono::milliseconds longest_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<int, Connection> open_ WARPMETER_GUARDED_BY(mutex_);  // by socket
  bool is_nice_ WARPMETER_GUARDED_BY(mutex_) = false;
  std::jthread thread_;
};

}  // namespace warpmeter::inline base
