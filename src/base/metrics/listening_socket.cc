#include "base/metrics/listening_socket.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

constexpr int kBacklog = 16;

struct Place {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

Place place_of(const MetricsAddress& address) {
  Place place;
  auto* const v4 = reinterpret_cast<sockaddr_in*>(&place.storage);
  auto* const v6 = reinterpret_cast<sockaddr_in6*>(&place.storage);
  if (inet_pton(AF_INET, address.host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(address.port);
    place.size = sizeof *v4;
  } else {
    inet_pton(AF_INET6, address.host.c_str(), &v6->sin6_addr);
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(address.port);
    place.size = sizeof *v6;
  }
  return place;
}

std::string remedy(int error) {
  if (error == EADDRINUSE) return " (another program has this port: choose another one, or end that)";
  if (error == EADDRNOTAVAIL) return " (this machine has no such address)";
  if (error == EACCES) return " (ports below 1024 need rights)";
  return "";
}

}  // namespace

ListeningSocket::ListeningSocket(const MetricsAddress& address) {
  const Place place = place_of(address);
  fd_ = socket(place.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  if (fd_ >= 0) setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (fd_ >= 0 && place.storage.ss_family == AF_INET6) setsockopt(fd_, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (fd_ >= 0 && bind(fd_, reinterpret_cast<const sockaddr*>(&place.storage), place.size) == 0 &&
      listen(fd_, kBacklog) == 0) {
    return;
  }
  const int error = errno;
  if (fd_ >= 0) close(fd_);
  throw Error("--metrics " + address.name() + ": cannot listen: " + std::generic_category().message(error) +
              remedy(error));
}

ListeningSocket::~ListeningSocket() {
  if (fd_ >= 0) close(fd_);
}

std::uint16_t ListeningSocket::port() const {
  Place place;
  place.size = sizeof place.storage;
  getsockname(fd_, reinterpret_cast<sockaddr*>(&place.storage), &place.size);
  const bool is_v6 = place.storage.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<sockaddr_in6*>(&place.storage)->sin6_port
                     : reinterpret_cast<sockaddr_in*>(&place.storage)->sin_port);
}

}  // namespace warpmeter::inline base
