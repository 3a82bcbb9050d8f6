// The packets of a frame: its own, those of an A-MSDU, or those inside of packets.
#pragma once

#include <optional>
#include <vector>

#include "capture.h"
#include "ip_header.h"
#include "oracle_ports.h"

namespace reference {

struct FoundPacket {
  WalkedFrame frame;  // or MSDU
  IpHeader ip;
  std::optional<Ignored> ignored;  // why there is no packet
};

// What of the frame is metered or ignored. Decapsulated: the innermost packets whose IP header can be read, at most
// eight layers down; the outer ones where there are none. `ports`: by which tunnels over UDP are known.
std::vector<FoundPacket> packets_of(const Frame& frame, bool decapsulate, const TunnelPorts& ports);

}  // namespace reference
