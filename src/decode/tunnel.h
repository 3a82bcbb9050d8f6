// Packets in packets: IPIP (RFC 2003), 6in4 (RFC 4213), GRE (RFC 2784, 2890) with NVGRE (RFC 7637), ERSPAN and PPTP
// (RFC 2637), VXLAN (RFC 7348), Geneve (RFC 8926), GTP-U (3GPP TS 29.281), Teredo (RFC 4380), L2TP (RFC 2661).
#pragma once

#include "decode/ip.h"
#include "decode/link_layer.h"
#include "warpmeter/frame.h"

namespace warpmeter {

inline constexpr int kMostTunnels = 8;  // within each other

// Where the packet is that `outer`, a packet of `frame`, carries; of no version, and not `several`, if it is no
// tunnel's, or if it cannot be told what is in there. `at`: the place of `outer`, with the tag met on the way there, if
// any, which that of the place is then. Never reads beyond the captured bytes.
IpPlace place_in_tunnel(const Frame& frame, const IpPacket& outer, const IpPlace& at);

namespace tunnel_detail {

template <class Take>
void each_innermost(const Frame& frame, IpPacket packet, IpPlace place, int layers, const Take& take);

// Of an A-MSDU in a tunnel those packets that can be read. Are there any? MSDUs lie side by side, and another A-MSDU in
// one takes a layer: all of it takes time in proportion to the bytes of the frame.
template <class Take>
bool each_readable(const Frame& frame, const IpPlace& msdus, int layers, const Take& take) {
  bool any = false;
  each_packet(frame, msdus, [&](const Frame& msdu, const IpPlace& place) {
    IpPacket packet;
    Ignored why;
    if (!place.version || !read_ip(msdu, place.version, place.offset, packet, why)) return;
    each_innermost(msdu, packet, place, layers, take);
    any = true;
  });
  return any;
}

template <class Take>
void each_innermost(const Frame& frame, IpPacket packet, IpPlace place, int layers, const Take& take) {
  for (; layers > 0; --layers) {
    place = place_in_tunnel(frame, packet, place);
    if (place.several) {
      if (each_readable(frame, place, layers - 1, take)) return;
      break;
    }
    IpPacket inner;
    Ignored why;
    if (!place.version || !read_ip(frame, place.version, place.offset, inner, why)) break;
    packet = inner;
  }
  take(packet, place.vlan);
}

}  // namespace tunnel_detail

// Calls `take(packet, vlan)` for the innermost packets in `outer`, a packet of `frame`, whose IP header can be read, at
// most kMostTunnels deep: once, or of an A-MSDU for each of its packets; for `outer` itself if it is no tunnel's, or if
// nothing in there can be read. `at`: the place of `outer`. `vlan`: id of the outermost tag in front of the packet.
template <class Take>
void each_innermost(const Frame& frame, const IpPacket& outer, const IpPlace& at, const Take& take) {
  tunnel_detail::each_innermost(frame, outer, at, kMostTunnels, take);
}

}  // namespace warpmeter
