// A service manager's side of sd_notify(3), as $NOTIFY_SOCKET of this process.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>

namespace warpmeter::test {

class NotifySocket {
 public:
  NotifySocket() = default;
  NotifySocket(const NotifySocket&) = delete;
  NotifySocket& operator=(const NotifySocket&) = delete;
  ~NotifySocket() {
    if (fd_ >= 0) close(fd_);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) unsetenv(name);
  }

  // A path, or '@' and a name of the abstract namespace.
  void listen_at(const std::string& name) {
    fd_ = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    sockaddr_un at{};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path, name.data(), name.size());
    if (name[0] == '@') at.sun_path[0] = '\0';
    const std::size_t size = offsetof(sockaddr_un, sun_path) + name.size() + (name[0] == '@' ? 0 : 1);
    ASSERT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&at), static_cast<socklen_t>(size)), 0);
    setenv("NOTIFY_SOCKET", name.c_str(), 1);
  }

  // The next datagram, empty if there is none.
  std::string heard() const {
    char text[4096];
    const ssize_t n = recv(fd_, text, sizeof text, 0);
    return n < 0 ? "" : std::string(text, static_cast<std::size_t>(n));
  }

 private:
  int fd_ = -1;
};

}  // namespace warpmeter::test
