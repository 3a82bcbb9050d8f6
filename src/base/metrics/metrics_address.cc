#include "base/metrics/metrics_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <string>
#include <system_error>

#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline base {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Error("--metrics " + printable(text) + ": not [ADDRESS:]PORT, as 9100, 192.0.2.1:9100 or [2001:db8::1]:9100",
              ExitStatus::usage);
}

bool is_address(const std::string& host) {
  in6_addr room;
  return inet_pton(AF_INET, host.c_str(), &room) == 1 || inet_pton(AF_INET6, host.c_str(), &room) == 1;
}

}  // namespace

std::string MetricsAddress::name() const {
  const bool is_v6 = host.find(':') != std::string::npos;
  return (is_v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

MetricsAddress parse_metrics_address(const std::string& text) {
  MetricsAddress address;
  const std::size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  const bool in_brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (in_brackets) host = host.substr(1, host.size() - 2);
  else if (host.find(':') != std::string::npos) refuse(text);
  if (host == "localhost") host = address.host;
  if (!host.empty()) address.host = host;
  const std::string port = colon == std::string::npos ? text : text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size() || !is_address(address.host)) refuse(text);
  return address;
}

std::string parse_metrics_name(const std::string& text) {
  std::string name = host_of(text);
  const bool is_one = !name.empty() && text.size() <= name.size() + 1;  // perhaps with a dot behind it
  if (!is_one) throw Error("--metrics-name " + printable(text) + ": not the name of a host alone", ExitStatus::usage);
  return name;
}

namespace {

constexpr std::size_t kLongest = 253;  // of a name in DNS

std::string own_name() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? host_of(name.data()) : "";
}

// An address has several forms, as 127.0.0.1 or ::1 and 0::1.
bool is_loopback(const std::string& host) {
  in_addr v4;
  in6_addr v6;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == IN_LOOPBACKNET;
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool is_address_of(const std::string& host, int socket) {
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size) != 0) return false;
  in6_addr named;
  if (inet_pton(at.ss_family, host.c_str(), &named) != 1) return false;
  if (at.ss_family == AF_INET) {
    return std::memcmp(&reinterpret_cast<const sockaddr_in*>(&at)->sin_addr, &named, sizeof(in_addr)) == 0;
  }
  return std::memcmp(&reinterpret_cast<const sockaddr_in6*>(&at)->sin6_addr, &named, sizeof named) == 0;
}

}  // namespace

std::string host_of(std::string_view header) {
  std::string_view host = header.substr(0, header.find(':'));
  if (header.starts_with('[')) {
    const std::size_t end = header.find(']');
    host = end == std::string_view::npos ? "" : header.substr(1, end - 1);
  }
  if (host.ends_with('.')) host.remove_suffix(1);  // the same name in full
  if (host.size() > kLongest) return "";
  std::string small(host);
  std::ranges::transform(small, small.begin(), [](char c) { return 'A' <= c && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return small;
}

bool is_own_host(const std::string& host, int socket, const std::vector<std::string>& names) {
  if (host.empty()) return false;
  if (host == "localhost" || is_loopback(host) || std::ranges::find(names, host) != names.end()) return true;
  return host == own_name() || is_address_of(host, socket);
}

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
  socket_.reset(socket(place.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  if (socket_) setsockopt(fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (socket_ && place.storage.ss_family == AF_INET6) setsockopt(fd(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  if (socket_ && bind(fd(), reinterpret_cast<const sockaddr*>(&place.storage), place.size) == 0 &&
      listen(fd(), kBacklog) == 0) {
    return;
  }
  const int error = errno;
  throw Error("--metrics " + address.name() + ": cannot listen: " + std::generic_category().message(error) +
              remedy(error));
}

std::uint16_t ListeningSocket::port() const {
  Place place;
  place.size = sizeof place.storage;
  getsockname(fd(), reinterpret_cast<sockaddr*>(&place.storage), &place.size);
  const bool is_v6 = place.storage.ss_family == AF_INET6;
  return ntohs(is_v6 ? reinterpret_cast<sockaddr_in6*>(&place.storage)->sin6_port
                     : reinterpret_cast<sockaddr_in*>(&place.storage)->sin_port);
}

}  // namespace warpmeter::inline base
