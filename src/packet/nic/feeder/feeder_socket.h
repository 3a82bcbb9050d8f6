// Where feeders hand their rings over: an abstract Unix socket, which only processes of this user and of root may speak
// to, and which is gone with this process.
//
// Threads: one at a time.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "packet/nic/feeder/feeder_queue.h"

namespace warpmeter::inline packet {

// What a feeder gave: its rings, as they were received, and the connection, which ends when the feeder does.
struct FeederOffer {
  Descriptor connection;
  std::vector<Descriptor> rings;
};

class FeederSocket {
 public:
  // `name`: of shm:NAME. Throws Error: no name for a feeder, or another meter waits for it.
  explicit FeederSocket(const std::string& name);

  // The next feeder, if one has come. Throws Error, without the name, if one was refused; it was told.
  std::optional<FeederOffer> accept();

  void close();  // nobody comes any more

  // What a feeder is told, whose rings are not taken. Does not wait.
  static void refuse(const Descriptor& connection, const std::string& why);
  // The feeder is there still. Does not wait.
  static bool is_open(const Descriptor& connection);

 private:
  using Clock = std::chrono::steady_clock;

  // Has connected, and not said anything yet. So each has its time, and none holds up another.
  struct Pending {
    Descriptor connection;
    Clock::time_point since;
  };

  void accept_connections();
  static std::optional<FeederOffer> receive(Pending& pending);

  Descriptor listener_;
  std::vector<Pending> pending_;
};

}  // namespace warpmeter::inline packet
