#include "base/metrics/host_names.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>

namespace warpmeter::inline base {
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

}  // namespace warpmeter::inline base
