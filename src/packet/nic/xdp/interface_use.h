// Whether a host itself uses an interface. What AF_XDP takes the host does not get: who takes the frames of the
// interface that a machine is reached by has cut it off.
//
// Source: netdevice(7), Documentation/ABI/testing/sysfs-class-net of Linux.
#pragma once

#include <cstddef>
#include <string>

#include "packet/nic/ring/network_interface.h"

namespace warpmeter::inline packet {

// Why this is not obviously the port of a mirror, which nobody but a capture listens to: "it has an IP address", "it
// has sent packets", "nobody tells what it is used for". "": it is one, as far as can be seen.
inline constexpr const char* kUnknownUse = "nobody tells what it is used for (/sys/class/net)";
std::string use_by_host(const NetworkInterface& interface);

// Has it an address of IPv4 or IPv6, link-local ones included?
bool has_ip_address(const NetworkInterface& interface);

// RX queues: those that a card has in use (ethtool --show-channels), 1 where nobody tells.
unsigned receive_queues(const NetworkInterface& interface);

}  // namespace warpmeter::inline packet
