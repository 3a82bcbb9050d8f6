// Where feeders hand their rings over: an abstract Unix socket, which only processes of this user and of root may speak
// to, and which is gone with this process.
//
// Threads: one at a time.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "packet/nic/feeder/feeder_queue.h"

namespace warpmeter::inline packet {

// A file descriptor and who closes it.
class FeederDescriptor {
 public:
  explicit FeederDescriptor(int fd = -1) : fd_(fd) {}
  FeederDescriptor(FeederDescriptor&& other) noexcept : fd_(other.release()) {}
  FeederDescriptor& operator=(FeederDescriptor&& other) noexcept;
  ~FeederDescriptor();

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release();

 private:
  int fd_;
};

// What a feeder gave: its rings, as they were received, and the connection, which ends when the feeder does.
struct FeederOffer {
  FeederDescriptor connection;
  std::vector<FeederDescriptor> rings;
};

class FeederSocket {
 public:
  // `name`: of shm:NAME. Throws Error: no name for a feeder, or another meter waits for it.
  explicit FeederSocket(const std::string& name);

  // The next feeder, if one has come. Throws Error, without the name, if one was refused; it was told.
  std::optional<FeederOffer> accept();

  void close();  // nobody comes any more

  // What a feeder is told, whose rings are not taken. Does not wait.
  static void refuse(const FeederDescriptor& connection, const std::string& why);
  // The feeder is there still. Does not wait.
  static bool is_open(const FeederDescriptor& connection);

 private:
  using Clock = std::chrono::steady_clock;

  // Has connected, and not said anything yet. So each has its time, and none holds up another.
  struct Pending {
    FeederDescriptor connection;
    Clock::time_point since;
  };

  void accept_connections();
  static std::optional<FeederOffer> receive(Pending& pending);

  FeederDescriptor listener_;
  std::vector<Pending> pending_;
};

}  // namespace warpmeter::inline packet
