#include "packet/inject/frame_writer.h"

#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "base/words/printable.h"
#include "packet/nic/ring/ring.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

// Of what was sent and is on its way still: some dozen large packets, each counted with all that the kernel holds of
// it.
constexpr int kRoom = 8 << 20;

// What a claim is known by: a socket that nobody else has a use for, since no frame of Ethernet has such a type.
constexpr int kClaimType = SOCK_DGRAM;
constexpr std::uint16_t kClaimProtocol = 0x0077;

[[noreturn]] void fail(const NetworkInterface& interface, const std::string& what) {
  throw Error(printable(interface.name) + ": " + what + ": " + std::strerror(errno));
}

// As /proc/net/packet lists packet sockets of this namespace, of all processes.
bool has_another_claim(const NetworkInterface& interface, const Descriptor& own) {
  struct stat status {};
  std::ifstream sockets("/proc/self/net/packet");
  if (!sockets || fstat(own.get(), &status) != 0) fail(interface, "/proc/self/net/packet tells of no other run");
  for (std::string line; std::getline(sockets, line);) {
    std::istringstream words(line);
    std::string address, references, running, memory, user;
    int type = 0, index = 0;
    unsigned protocol = 0;
    ino_t inode = 0;
    words >> address >> references >> type >> std::hex >> protocol >> std::dec >> index >> running >> memory >> user;
    if (!(words >> inode)) continue;  // the line of titles
    const bool is_claim = type == kClaimType && protocol == kClaimProtocol && index == interface.index;
    if (is_claim && inode != status.st_ino) return true;
  }
  return false;
}

// Of those that are down, too.
bool bind_to(const Descriptor& socket, const NetworkInterface& interface, std::uint16_t protocol) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(protocol);
  address.sll_ifindex = interface.index;
  return bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 || errno == ENETDOWN;
}

}  // namespace

// Of two that claim it at once both see the other, or one does.
Descriptor claim_wire(const NetworkInterface& interface) {
  Descriptor claim(socket(AF_PACKET, kClaimType | SOCK_CLOEXEC, 0));
  if (!claim) fail(interface, "no packet socket, which takes the capability CAP_NET_RAW");
  if (!refuse_everything(claim.get()) || !bind_to(claim, interface, kClaimProtocol)) {
    fail(interface, "this run cannot claim it");
  }
  if (has_another_claim(interface, claim))
    throw Error(printable(interface.name) + ": another warpmeter coalesce forwards its packets");
  return claim;
}

Descriptor open_wire_socket(const NetworkInterface& interface) {
  Descriptor wire(
      socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));  // without a protocol nothing comes in
  if (!wire) fail(interface, "no packet socket to send by, which takes the capability CAP_NET_RAW");
  const int yes = 1;
  if (setsockopt(wire.get(), SOL_PACKET, PACKET_VNET_HDR, &yes, sizeof yes) != 0) fail(interface, "PACKET_VNET_HDR");
  // More than the system's limit takes a right; less does as well.
  if (setsockopt(wire.get(), SOL_SOCKET, SO_SNDBUFFORCE, &kRoom, sizeof kRoom) != 0) {
    setsockopt(wire.get(), SOL_SOCKET, SO_SNDBUF, &kRoom, sizeof kRoom);
  }
  if (!bind_to(wire, interface, 0)) fail(interface, "nothing can be sent there");
  return wire;
}

}  // namespace warpmeter::inline packet
