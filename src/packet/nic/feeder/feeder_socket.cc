#include "packet/nic/feeder/feeder_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/files/path_owners.h"
#include "base/words/printable.h"
#include "warpmeter/feeder_ring.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::chrono::seconds kSpeaksWithin{1};
constexpr int kWaiting = 16;              // connections that are not looked at yet
constexpr std::size_t kMostPending = 16;  // those that are, until they speak
constexpr int kMostUnread = 4;            // messages of one that is refused

bool is_feeder_name(const std::string& name) {
  return !name.empty() && name.size() <= WMF_MOST_NAME && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  });
}

void check_user(int fd) {
  const auto peer = path_owners::peer_of(fd);
  if (!peer) throw Error("nobody knows whose it is");
  if (!path_owners::is_trusted(peer->uid)) {
    throw Error("it is of user " + std::to_string(peer->uid) + ", and only those of this user or of root are taken");
  }
}

// Names of abstract sockets are anybody's who comes first: whoever has this one, no meter of this user may be what
// feeders find there.
std::string who_has_it(const sockaddr* address, socklen_t size) {
  const Descriptor asks(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const bool reached = asks && connect(asks.get(), address, size) == 0;
  const auto peer = reached ? path_owners::peer_of(asks.get()) : std::nullopt;
  if (!peer || path_owners::is_trusted(peer->uid)) return "another process takes its packets already";
  return "user " + std::to_string(peer->uid) + " has this name, by process " + std::to_string(peer->pid) +
         ": it has to end, or another name is to be taken";
}

std::vector<Descriptor> descriptors_of(msghdr& message) {
  std::vector<Descriptor> descriptors;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(part) + i * sizeof fd, sizeof fd);
      descriptors.emplace_back(fd);
    }
  }
  return descriptors;
}

void check_hello(const wmf_hello& hello, std::size_t size, std::size_t descriptors, bool whole) {
  if (size != sizeof hello || hello.magic != WMF_HELLO_MAGIC) throw Error("it does not speak as feeders do");
  if (hello.version != WMF_VERSION) {
    throw Error("it speaks version " + std::to_string(hello.version) + ", known is version " +
                std::to_string(WMF_VERSION));
  }
  if (hello.rings == 0 || hello.rings > WMF_MOST_RINGS) {
    throw Error("it has " + std::to_string(hello.rings) + " rings, and not 1 to " + std::to_string(WMF_MOST_RINGS));
  }
  if (!whole && descriptors < hello.rings) {
    throw Error("only " + std::to_string(descriptors) + " of the descriptors of its " + std::to_string(hello.rings) +
                " rings could be taken: this process may have no more files open (ulimit -n)");
  }
  if (!whole || descriptors != hello.rings) {
    throw Error("it says that it has " + std::to_string(hello.rings) + " rings, and hands over " +
                (whole ? "" : "more than ") + std::to_string(descriptors) + " descriptors");
  }
}

}  // namespace

FeederSocket::FeederSocket(const std::string& name) {
  if (!is_feeder_name(name)) {
    throw Error("shm:" + printable(name) + ": a feeder's name has 1 to 64 letters, digits, '.', '_' or '-'",
                ExitStatus::usage);
  }
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = WMF_ADDRESS + name;
  std::memcpy(address.sun_path + 1, path.data(), path.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + path.size());
  listener_.reset(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener_ || bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      listen(listener_.get(), kWaiting) != 0) {
    if (errno == EADDRINUSE) {
      throw Error("shm:" + name + ": " + who_has_it(reinterpret_cast<const sockaddr*>(&address), size));
    }
    throw Error("shm:" + name + ": no socket for its feeder: " + std::strerror(errno));
  }
}

void FeederSocket::accept_connections() {
  while (pending_.size() < kMostPending) {
    Descriptor connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection) return;
    pending_.push_back({std::move(connection), Clock::now()});
  }
}

std::optional<FeederOffer> FeederSocket::accept() {
  accept_connections();
  for (auto at = pending_.begin(); at != pending_.end();) {
    std::optional<FeederOffer> offer;
    try {
      check_user(at->connection.get());
      offer = receive(*at);
      if (at->connection && Clock::now() - at->since > kSpeaksWithin) throw Error("it says nothing");
    } catch (const Error& error) {
      refuse(at->connection, error.what());
      pending_.erase(at);
      throw;
    }
    if (at->connection) ++at;
    else at = pending_.erase(at);
    if (offer) return offer;
  }
  return {};
}

// Its hello; none yet, or, without a connection, none any more.
std::optional<FeederOffer> FeederSocket::receive(Pending& pending) {
  wmf_hello hello{};
  iovec part{&hello, sizeof hello};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * WMF_MOST_RINGS)> control;
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t got = recvmsg(pending.connection.get(), &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {};
  if (got <= 0) {
    pending.connection.reset();
    return {};
  }
  std::vector<Descriptor> rings = descriptors_of(message);
  check_hello(hello, static_cast<std::size_t>(got), rings.size(), !(message.msg_flags & (MSG_CTRUNC | MSG_TRUNC)));
  return FeederOffer{std::move(pending.connection), std::move(rings)};
}

void FeederSocket::close() {
  pending_.clear();
  listener_.reset();
}

// What was not read would turn into an error at the other end, in the place of this text.
void FeederSocket::refuse(const Descriptor& connection, const std::string& why) {
  char unread;
  for (int i = 0; i < kMostUnread && recv(connection.get(), &unread, sizeof unread, MSG_DONTWAIT) > 0; ++i) continue;
  send(connection.get(), why.data(), std::min<std::size_t>(why.size(), WMF_MOST_TEXT), MSG_DONTWAIT | MSG_NOSIGNAL);
}

bool FeederSocket::is_open(const Descriptor& connection) {
  char anything;
  const ssize_t got = recv(connection.get(), &anything, sizeof anything, MSG_DONTWAIT);
  return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

}  // namespace warpmeter::inline packet
