// Two interfaces that are one wire, `sender` and `capture`, in a network namespace of the test's own.
#pragma once

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace warpmeter::test {

inline const char* const kWhoRunsWireTests =
    "root, with the right to make network namespaces and veth interfaces, ip of iproute2 and a kernel with AF_XDP "
    "(Linux 6.6), runs this: ";

// What the last command said, or the system.
inline std::string& what_was_said() {
  static std::string said;
  return said;
}

inline bool run_quietly(const std::string& command) {
  FILE* const out = popen(("(" + command + ") 2>&1").c_str(), "r");
  if (!out) return false;
  what_was_said().clear();
  char piece[256];
  while (std::fgets(piece, sizeof piece, out)) what_was_said() += piece;
  return pclose(out) == 0;
}

// What is sent on an interface that has come up just now may be lost, without a word, until the kernel has got round to
// it.
inline bool wait_until_usable(const std::string& interface) {
  for (int i = 0; i < 100; ++i) {
    if (run_quietly("ip link show " + interface + " | grep 'qdisc noqueue'")) return true;
    usleep(20'000);
  }
  return false;
}

// A namespace for this process, and in it a wire, made anew each time. False: no right to it.
inline bool make_wire(unsigned mtu) {
  static const int error = unshare(CLONE_NEWNET) == 0 ? 0 : errno;
  what_was_said() = std::strerror(error);
  if (error) return false;
  run_quietly("echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6");
  run_quietly("ip link del capture");
  const std::string size = std::to_string(mtu);
  return run_quietly("ip link add sender mtu " + size + " type veth peer name capture mtu " + size) &&
         run_quietly("ip link set sender arp off up") && run_quietly("ip link set capture arp off up") &&
         wait_until_usable("sender");
}

// A frame whose bytes all depend on its number.
inline std::vector<std::uint8_t> numbered_frame(std::uint32_t number, std::size_t bytes) {
  std::vector<std::uint8_t> frame(bytes);
  for (std::size_t i = 0; i < bytes; ++i) frame[i] = static_cast<std::uint8_t>(number * 31 + i);
  const std::uint8_t begin[] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5};  // EtherType for experiments
  std::memcpy(frame.data(), begin, sizeof begin);
  std::memcpy(frame.data() + sizeof begin, &number, sizeof number);
  return frame;
}

// Sends frames out of `sender`.
class WireSender {
 public:
  WireSender() : fd_(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0)) {
    sockaddr_ll to{};
    to.sll_family = AF_PACKET;
    to.sll_ifindex = static_cast<int>(if_nametoindex("sender"));
    bind_ = bind(fd_, reinterpret_cast<const sockaddr*>(&to), sizeof to);
  }
  ~WireSender() { close(fd_); }
  WireSender(const WireSender&) = delete;
  WireSender& operator=(const WireSender&) = delete;

  bool send_one(std::uint32_t number, std::size_t bytes) {
    const auto frame = numbered_frame(number, bytes);
    return bind_ == 0 && send(fd_, frame.data(), frame.size(), 0) == static_cast<ssize_t>(frame.size());
  }

 private:
  int fd_ = -1, bind_ = -1;
};

}  // namespace warpmeter::test
