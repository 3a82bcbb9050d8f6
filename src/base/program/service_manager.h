// Tells the service manager that started the program how it does: a datagram to $NOTIFY_SOCKET, as sd_notify(3) sends
// it. Without such a manager nothing happens; what cannot be sent is no matter.
//
// Source: sd_notify(3), sd_watchdog_enabled(3).
//
// Threads: any.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/files/descriptor.h"

namespace warpmeter::inline base {

class ServiceManager {
 public:
  // As the environment names it, which stays as it is.
  ServiceManager();

  bool is_there() const { return static_cast<bool>(socket_); }

  // "READY=1", "STOPPING=1", "STATUS=...", "WATCHDOG=1"; several as lines. Never waits.
  void tell(std::string_view state) const;

  // How often it wants to hear "WATCHDOG=1"; it ends the program that is silent for longer.
  std::optional<std::chrono::microseconds> watchdog() const { return watchdog_; }

 private:
  Descriptor socket_;
  std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace warpmeter::inline base
