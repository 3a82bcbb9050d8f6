// Datagrams over the loopback interface, in a network namespace of the test's own.
#pragma once

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <vector>

#include "warpmeter/frame.h"

namespace warpmeter::test {

// The namespace of this thread, with nothing in it but a loopback interface that is up.
inline bool enter_empty_namespace() {
  if (unshare(CLONE_NEWNET) != 0) return false;
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::strcpy(request.ifr_name, "lo");
  request.ifr_flags = IFF_UP;
  const bool up = fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &request) == 0;
  close(fd);
  return up;
}

// So many, from this number on, with so many bytes, of which the first four are the number.
inline void send_numbered_datagrams(std::uint32_t first, std::uint32_t count, std::size_t bytes) {
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<std::uint8_t> data(bytes);
  for (std::uint32_t number = first; number < first + count; ++number) {
    std::memcpy(data.data(), &number, sizeof number);
    sendto(fd, data.data(), data.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  close(fd);
}

// Nothing else goes over this interface but what says that nobody listens.
inline std::optional<std::uint32_t> numbered_datagram(const Frame& frame) {
  constexpr std::uint32_t kHeaders = 14 + 20 + 8;
  if (frame.captured < kHeaders + 4 || frame.data[14 + 9] != IPPROTO_UDP) return {};
  std::uint32_t number;
  std::memcpy(&number, frame.data + kHeaders, sizeof number);
  return number;
}

}  // namespace warpmeter::test
