// Datagrams over the loopback interface, in a network namespace of the test's own; and how a test waits until they have
// come, which may take a while on a busy machine.
#pragma once

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "packet/nic/ring/packet_ring.h"
#include "warpmeter/frame.h"
#include "warpmeter/link_type.h"

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

// Of a whole frame. Nothing else goes over this interface but what says that nobody listens.
inline std::optional<std::uint32_t> numbered_datagram(const Frame& frame) {
  constexpr std::uint32_t kHeaders = 14 + 20 + 8;
  if (frame.link != kLinkEthernet || frame.captured != frame.original) return {};
  if (frame.captured < kHeaders + 4 || frame.data[14 + 9] != IPPROTO_UDP) return {};
  std::uint32_t number;
  std::memcpy(&number, frame.data + kHeaders, sizeof number);
  return number;
}

inline std::vector<std::uint32_t> numbers_of(const Ring& ring, RingBlock& block) {
  FrameBlock frames;
  while (block.frames) ring.frames_of(block, 7, frames);
  std::vector<std::uint32_t> numbers;
  for (const Frame& frame : frames.frames) {
    if (const auto number = numbered_datagram(frame)) numbers.push_back(*number);
  }
  return numbers;
}

// Until it is so. False: it was not so for half a minute.
template <class Condition>
bool wait_for(Condition is_so) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// One more ring of the interface. What it has given, all other rings have been offered: the kernel offers a packet to
// all of them before it gives the next.
class WitnessRing {
 public:
  explicit WitnessRing(const std::string& interface)
      : ring_(find_interface(interface), 0, {.bytes = 8 << 20, .block_ms = 100}, std::nullopt) {}

  bool has_seen_datagrams(std::size_t count) {
    return wait_for([&] { return look() && datagrams_ >= count; });
  }
  bool has_seen_frames(std::size_t count) {
    return wait_for([&] { return look() && frames_ >= count; });
  }

 private:
  bool look() {
    while (std::optional<RingBlock> block = ring_.next()) {
      frames_ += block->frames;
      datagrams_ += numbers_of(ring_, *block).size();
    }
    return true;
  }

  PacketRing ring_;
  std::size_t datagrams_ = 0, frames_ = 0;
};

}  // namespace warpmeter::test
