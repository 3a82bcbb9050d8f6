#include "packet/inject/wire_socket.h"

#include <linux/if_packet.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {
namespace {

// Of what was sent and is on its way still: some dozen large packets, each counted with all that the kernel holds of
// it.
constexpr int kRoom = 8 << 20;

[[noreturn]] void fail(const NetworkInterface& interface, const std::string& what) {
  throw Error(printable(interface.name) + ": " + what + ": " + std::strerror(errno));
}

}  // namespace

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
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = interface.index;
  if (bind(wire.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno != ENETDOWN) {
    fail(interface, "nothing can be sent there");
  }
  return wire;
}

}  // namespace warpmeter::inline packet
