// A detector for tests: listens at a Unix socket, and reads what comes.
//
// Threads: one.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "base/files/descriptor.h"
#include "record/collector/socket.h"

namespace warpmeter::test {

class UnixDetector {
 public:
  // `kind`: of the socket. A file that is there from an earlier one makes room.
  explicit UnixDetector(std::string path, int kind = SOCK_STREAM) : path_(std::move(path)) {
    unlink(path_.c_str());
    socket_ = Descriptor(socket(AF_UNIX, kind | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), std::min(path_.size(), sizeof address.sun_path - 1));
    if (bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) throw_errno("bind");
    if (kind == SOCK_STREAM && listen(socket_.get(), 1) != 0) throw_errno("listen");
  }

  // Waits for a connection, but not for ever.
  void accept() {
    if (!wait_for(socket_.get(), POLLIN, std::chrono::seconds(20))) throw std::runtime_error("nobody connects");
    peer_ = Descriptor(::accept(socket_.get(), nullptr, nullptr));
    if (!peer_) throw_errno("accept");
  }
  // The next bytes; "" at the end, or if none come.
  std::string read_some() {
    char bytes[4096];
    if (!wait_for(peer_.get(), POLLIN, std::chrono::seconds(20))) throw std::runtime_error("nothing comes");
    const ssize_t count = recv(peer_.get(), bytes, sizeof bytes, 0);
    return count > 0 ? std::string(bytes, static_cast<std::size_t>(count)) : "";
  }
  std::string read_all() {
    std::string all;
    for (std::string some = read_some(); !some.empty(); some = read_some()) all += some;
    return all;
  }
  // Until so many bytes have come since the connection began.
  std::string read(std::size_t most) {
    std::string all;
    while (all.size() < most) {
      const std::string some = read_some();
      if (some.empty()) break;
      all += some;
    }
    return all;
  }
  // Says something; false: it cannot, because nobody takes that.
  bool say(const std::string& text) {
    return send(peer_.get(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  int peer() const { return peer_.get(); }
  void hang_up() { peer_ = Descriptor(); }

 private:
  [[noreturn]] static void throw_errno(const char* what) {
    throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
  }

  const std::string path_;
  Descriptor peer_, socket_;  // first nobody listens any more, then it goes
};

}  // namespace warpmeter::test
