// Packets into packets: one more tunnel around a packet, of every kind, with all that is optional in it.
#pragma once

#include "ip_draft.h"
#include "oracle_ports.h"
#include "reference_random.h"

namespace reference {

// ip6: of the outer header. ports: by which those over UDP are known. Now and then a field is wrong, so that what
// follows is no tunnel.
IpPacket in_tunnel(const IpPacket& packet, bool ip6, const TunnelPorts& ports, Random& random);

}  // namespace reference
