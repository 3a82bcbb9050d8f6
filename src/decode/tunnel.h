// Packets in packets: IPIP (RFC 2003), 6in4 (RFC 4213), GRE (RFC 2784, 2890) with NVGRE (RFC 7637), ERSPAN and PPTP
// (RFC 2637), VXLAN (RFC 7348), Geneve (RFC 8926), GTP-U (3GPP TS 29.281), Teredo (RFC 4380), L2TP (RFC 2661).
#pragma once

#include "decode/ip.h"
#include "decode/layers.h"
#include "warpmeter/frame.h"

namespace warpmeter {

inline constexpr int kMostTunnels = 8;  // within each other

// The innermost packet in `outer`, a packet of `frame`, whose IP header can be read, at most kMostTunnels deep: `outer`
// itself if it is no tunnel's, or if nothing in there can be read. Never reads beyond the captured bytes.
IpPacket innermost(const Frame& frame, const IpPacket& outer);

}  // namespace warpmeter
