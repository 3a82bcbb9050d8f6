// A TCP socket that listens for clients of the metrics.
#pragma once

#include <cstdint>
#include <utility>

#include "base/metrics/metrics_address.h"

namespace warpmeter::inline base {

class ListeningSocket {
 public:
  // Throws Error, in one line for users: the port is in use, the address is none of this machine.
  explicit ListeningSocket(const MetricsAddress& address);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  int fd() const { return fd_; }
  std::uint16_t port() const;  // that it got
  // Somebody else closes it.
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_ = -1;
};

}  // namespace warpmeter::inline base
