// A client of the control socket of a policy, in its steps.
//
// Threads: one.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/files/descriptor.h"

namespace warpmeter::test {

class ControlClient {
 public:
  explicit ControlClient(const std::string& path) : socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    if (connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      throw std::runtime_error(std::strerror(errno));
    }
  }
  // false: nobody takes all of it.
  bool write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end() { shutdown(socket_.get(), SHUT_WR); }
  std::string read() {
    std::string all;
    char part[256];
    for (ssize_t got; (got = recv(socket_.get(), part, sizeof part, 0)) > 0;) {
      all.append(part, static_cast<std::size_t>(got));
    }
    return all;
  }
  std::string ask(std::string_view request) {
    write(request);
    end();
    return read();
  }
  void hang_up() { socket_.reset(); }

 private:
  Descriptor socket_;
};

inline std::string asked(const std::string& path, std::string_view request) { return ControlClient(path).ask(request); }

}  // namespace warpmeter::test
