// Collectors inside a test: sockets on the loopback interface, on ports that the system chose. Waiting has a deadline
// and ends the test, with an exception, when that has passed.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/files/descriptor.h"
#include "record/collector/collector_options.h"
#include "record/collector/numbered_messages.h"
#include "record/collector/socket.h"

namespace warpmeter::test {

inline constexpr std::chrono::seconds kDeadline(20);
inline constexpr std::chrono::seconds kSoon(15);  // much less than the collector's timeout of 30 seconds

inline void must(bool fine, const char* what) {
  if (!fine) throw std::runtime_error(std::string(what) + ": " + error_text(errno));
}

// 127.0.0.1 or ::1, port 0.
inline SocketAddress loopback(int family = AF_INET) {
  SocketAddress address;
  if (family == AF_INET) {
    const sockaddr_in to = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
    address.size = sizeof to;
    std::memcpy(&address.storage, &to, sizeof to);
  } else {
    const sockaddr_in6 to = {AF_INET6, 0, 0, in6addr_loopback, 0};
    address.size = sizeof to;
    std::memcpy(&address.storage, &to, sizeof to);
  }
  return address;
}

// A socket that holds a port, on which nobody listens yet.
class Port {
 public:
  explicit Port(int type, int family = AF_INET) : type_(type), address_(loopback(family)), holder_(bound(false)) {
    allow_another(holder_);
    must(getsockname(holder_.get(), reinterpret_cast<sockaddr*>(&address_.storage), &address_.size) == 0, "name");
  }

  std::uint16_t number() const {
    return ntohs(reinterpret_cast<const sockaddr_in*>(&address_.storage)->sin_port);  // the same place in sockaddr_in6
  }
  CollectorOptions options() const {
    CollectorOptions options;
    options.address = {type_ == SOCK_DGRAM ? TransportProtocol::udp : TransportProtocol::tcp,
                       address_.family() == AF_INET ? "127.0.0.1" : "::1", number()};
    return options;
  }
  int holder() const { return holder_.get(); }
  const SocketAddress& address() const { return address_; }

  // Another socket on the same port.
  Descriptor bound(bool another = true) const {
    Descriptor made(socket(address_.family(), type_ | SOCK_CLOEXEC, 0));
    must(bool(made), "socket");
    if (another) allow_another(made);
    must(bind(made.get(), address_.get(), address_.size) == 0, "bind");
    return made;
  }

 private:
  // For the holder after the system has chosen the port: before, it might choose another test's.
  static void allow_another(const Descriptor& made) {
    const int on = 1;
    setsockopt(made.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  }

  const int type_;
  SocketAddress address_;
  Descriptor holder_;
};

inline bool have_ipv6() {
  const Descriptor probe(socket(AF_INET6, SOCK_DGRAM, 0));
  const SocketAddress address = loopback(AF_INET6);
  return probe && bind(probe.get(), address.get(), address.size) == 0;
}

class UdpReceiver {
 public:
  explicit UdpReceiver(int family = AF_INET) : port_(SOCK_DGRAM, family) {}
  CollectorOptions options() const {
    CollectorOptions options = port_.options();
    options.records_per_second = 0;
    return options;
  }
  const SocketAddress& address() const { return port_.address(); }
  Bytes receive_bytes() {
    must(wait_for(port_.holder(), POLLIN, kDeadline), "no datagram");
    Bytes bytes(65'536);
    const ssize_t got = recv(port_.holder(), bytes.data(), bytes.size(), 0);
    must(got >= 0, "recv");
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
  }
  Received receive() { return parse_message(receive_bytes().data()); }
  std::vector<Received> receive(std::size_t count) {
    std::vector<Received> messages;
    while (messages.size() < count) messages.push_back(receive());
    return messages;
  }
  bool silent() { return !wait_for(port_.holder(), POLLIN, std::chrono::milliseconds(0)); }

 private:
  Port port_;
};

// The collector's end of a connection.
class TcpPeer {
 public:
  explicit TcpPeer(Descriptor socket) : socket_(std::move(socket)) {}

  // Reads until there are `count` more messages, or the end of the stream.
  std::vector<Received> receive(std::size_t count = SIZE_MAX) {
    std::vector<Received> messages;
    while (messages.size() < count) {
      const std::vector<Received> more = take_messages(rest_);
      messages.insert(messages.end(), more.begin(), more.end());
      if (messages.size() < count && !read_more()) break;
    }
    return messages;
  }

  // What the host has acknowledged and nobody has read.
  std::size_t unread_bytes() const {
    int bytes = 0;
    must(ioctl(socket_.get(), FIONREAD, &bytes) == 0, "FIONREAD");
    return static_cast<std::size_t>(bytes);
  }

  // The messages in it; it stays there, so the window stays closed. Waits until no more comes.
  std::vector<Received> unread() {
    std::size_t before = SIZE_MAX, now = 0;
    while (now != before) {
      before = now;
      usleep(100'000);
      now = unread_bytes();
    }
    Bytes bytes(now);
    const ssize_t got = recv(socket_.get(), bytes.data(), bytes.size(), MSG_PEEK);
    must(got == static_cast<ssize_t>(now), "peek");
    Bytes stream = rest_ + bytes;
    return take_messages(stream);
  }

  // Some bytes of the stream, at most so many; 0 at its end, also where that is a reset.
  std::size_t read_bytes(std::size_t most) {
    must(wait_for(socket_.get(), POLLIN, kDeadline), "no bytes");
    Bytes bytes(most);
    const ssize_t got = recv(socket_.get(), bytes.data(), most, 0);
    return got > 0 ? static_cast<std::size_t>(got) : 0;
  }

  void say_nothing_more() { must(shutdown(socket_.get(), SHUT_WR) == 0, "shutdown"); }
  void say(const std::string& text) {
    must(send(socket_.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size()), "send");
  }

  // As a collector that crashes.
  void reset() {
    const linger at_once = {1, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    socket_ = Descriptor();
  }

 private:
  bool read_more() {
    must(wait_for(socket_.get(), POLLIN, kDeadline), "no bytes");
    std::uint8_t bytes[65'536];
    const ssize_t got = recv(socket_.get(), bytes, sizeof bytes, 0);
    if (got <= 0) return false;
    rest_.insert(rest_.end(), bytes, bytes + got);
    return true;
  }

  Descriptor socket_;
  Bytes rest_;
};

class TcpServer {
 public:
  explicit TcpServer(int family = AF_INET) : port_(SOCK_STREAM, family) {}
  CollectorOptions options() const { return port_.options(); }

  // `receive_buffer` in bytes; 0 = the system's.
  void start(int receive_buffer = 0) {
    listener_ = port_.bound();
    if (receive_buffer) setsockopt(listener_.get(), SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    must(listen(listener_.get(), 16) == 0, "listen");
  }
  void stop() { listener_ = Descriptor(); }
  TcpPeer accept() {
    must(wait_for(listener_.get(), POLLIN, kDeadline), "no connection");
    Descriptor peer(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    must(bool(peer), "accept");
    return TcpPeer(std::move(peer));
  }

 private:
  Port port_;
  Descriptor listener_;
};

// Options for a collector that is hardly waited for.
inline CollectorOptions impatient(const TcpServer& server, int timeout = 300) {
  CollectorOptions options = server.options();
  options.timeout = std::chrono::milliseconds(timeout);
  return options;
}

}  // namespace warpmeter::test
