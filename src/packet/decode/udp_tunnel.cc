#include "packet/decode/layers.h"
#include "packet/decode/tunnel.h"

namespace warpmeter::inline packet {
namespace {

// Nothing: by its bytes it is no such tunnel, though a port says so. The next that the port may mean is tried then.
using Attempt = std::optional<Layer>;

constexpr std::uint32_t kUdpHeader = 8;
constexpr std::uint8_t kHasNetwork = 8;  // of VXLAN and its extension

// RFC 7348.
Attempt vxlan(TunnelEntry& e) {
  if (!e.walk.has(0, 1)) return e.cut_short(TunnelKind::vxlan);
  if (!(e.walk.u8(0) & kHasNetwork)) return {};
  e.note_id(4, 3);
  return e.behind(TunnelKind::vxlan, 8, Layer::ethernet);
}

// draft-ietf-nvo3-vxlan-gpe: without the flag that a protocol is told, Ethernet.
Attempt vxlan_gpe(TunnelEntry& e) {
  constexpr std::uint8_t kHasProtocol = 4;
  Walk& w = e.walk;
  if (!w.has(0, 1)) return e.cut_short(TunnelKind::vxlan_gpe);
  if (!(w.u8(0) & kHasNetwork)) return {};
  e.note_id(4, 3);
  if (!(w.u8(0) & kHasProtocol)) return e.behind(TunnelKind::vxlan_gpe, 8, Layer::ethernet);
  if (!w.has(3, 1)) return e.cut_short(TunnelKind::vxlan_gpe);
  const std::uint8_t protocol = w.u8(3);
  w.skip(8);
  return e.is(TunnelKind::vxlan_gpe, next_protocol(w, protocol));
}

// RFC 8926.
Attempt geneve(TunnelEntry& e) {
  Walk& w = e.walk;
  if (!w.has(0, 4)) return e.cut_short(TunnelKind::geneve);
  const std::uint32_t options = (w.u8(0) & 63u) * 4;
  e.note_id(4, 3);
  w.type = w.u16(2);
  return e.behind(TunnelKind::geneve, 8 + options, w.type == kTransparentEthernet ? Layer::ethernet : Layer::by_type);
}

// 3GPP TS 29.281: version 1, protocol type GTP, message G-PDU. The optional fields are there if any of their three
// flags is set. Extension headers: their length in words comes first, the type of the next one last.
Attempt gtp_u(TunnelEntry& e) {
  constexpr std::uint8_t kUserData = 255, kOptionalFields = 7, kExtensions = 4;
  constexpr TunnelKind kind = TunnelKind::gtp_u;
  Walk& w = e.walk;
  if (!w.has(0, 2)) return e.cut_short(kind);
  const std::uint8_t flags = w.u8(0);
  if ((flags & 0xf0) != 0x30 || w.u8(1) != kUserData) return {};
  e.note_id(4, 4);
  if (!(flags & kOptionalFields)) return e.behind(kind, 8, Layer::raw);
  if (!w.has(11, 1)) return e.cut_short(kind);
  std::uint8_t next = flags & kExtensions ? w.u8(11) : 0;
  w.at += 12;
  while (next) {
    if (!w.has(0, 1)) return e.cut_short(kind);
    const std::uint32_t size = w.u8(0) * 4u;
    if (size == 0) return e.closed(kind, Unopened::not_ip);
    if (!w.has(size - 1, 1)) return e.cut_short(kind);
    next = w.u8(size - 1);
    w.at += size;
  }
  return e.is(kind, Layer::raw);
}

// RFC 4380.
Attempt teredo(TunnelEntry& e) {
  constexpr std::uint16_t kAuthentication = 1, kOrigin = 0;
  constexpr TunnelKind kind = TunnelKind::teredo;
  Walk& w = e.walk;
  if (w.has(0, 2) && w.u16(0) == kAuthentication) {
    if (!w.has(2, 2)) return e.cut_short(kind);
    w.skip(13u + w.u8(2) + w.u8(3));
  }
  if (w.has(0, 2) && w.u16(0) == kOrigin) w.at += 8;
  if (!w.has(0, 1)) return e.cut_short(kind);
  return w.u8(0) >> 4 == 6 ? e.is(kind, Layer::ipv6) : Layer::nothing;
}

// RFC 2661: version 2, data messages.
Attempt l2tp(TunnelEntry& e) {
  constexpr std::uint16_t kControl = 0x8000, kLength = 0x4000, kSequence = 0x800, kOffset = 0x200, kVersion = 15;
  constexpr TunnelKind kind = TunnelKind::l2tp;
  Walk& w = e.walk;
  if (!w.has(0, 2)) return e.cut_short(kind);
  const std::uint16_t flags = w.u16(0);
  if (flags & kControl) return Layer::nothing;
  if ((flags & kVersion) == 3) return e.closed(kind, Unopened::other_version);
  if ((flags & kVersion) != 2) return Layer::nothing;
  w.at += 2 + (flags & kLength ? 2 : 0) + 4 + (flags & kSequence ? 4 : 0);
  if (!(flags & kOffset)) return e.is(kind, Layer::ppp);
  if (!w.has(0, 2)) return e.cut_short(kind);
  return e.behind(kind, 2u + w.u16(0), Layer::ppp);
}

// TaZmen Sniffer Protocol: received and sent packets. Fields of type and length stand before the packet: those of type
// 0 have no length, and one of type 1 is the last.
Attempt tzsp(TunnelEntry& e) {
  constexpr TunnelKind kind = TunnelKind::tzsp;
  Walk& w = e.walk;
  if (!w.has(0, 4)) return e.cut_short(kind);
  if (w.u8(0) != 1 || w.u8(1) > 1) return {};
  const std::uint16_t encapsulated = w.u16(2);
  w.at += 4;
  for (;;) {
    if (!w.has(0, 1)) return e.cut_short(kind);
    const std::uint8_t type = w.u8(0);
    if (type == 1) break;
    if (type != 0 && !w.has(1, 1)) return e.cut_short(kind);
    w.skip(type == 0 ? 1 : 2u + w.u8(1));
  }
  w.skip(1);
  switch (encapsulated) {
    case 1: return e.is(kind, Layer::ethernet);
    case 18: return e.is(kind, Layer::wlan);
    case 119: return e.is(kind, prism(w));
    case 127: return e.is(kind, avs(w));
    default: return e.closed(kind, Unopened::not_ip);
  }
}

// RFC 5415: data, neither in DTLS nor a later fragment. 802.11 frames (RFC 5416) have their first two bytes swapped
// where Cisco's access points send them.
Attempt capwap(TunnelEntry& e) {
  constexpr std::uint8_t kInDtls = 1;
  constexpr std::uint32_t kNative = 0x100, kFragment = 0x80, kWlan = 1;  // flags; else 802.3; binding
  constexpr TunnelKind kind = TunnelKind::capwap;
  Walk& w = e.walk;
  if (!w.has(0, 1)) return e.cut_short(kind);
  if (w.u8(0) == kInDtls) e.closed(kind, Unopened::encrypted);  // should no other tunnel be behind this port
  if (w.u8(0) != 0) return {};
  if (!w.has(0, 4)) return e.cut_short(kind);
  const std::uint32_t word = w.u24(1);  // lengths and ids of 5 bits each, then flags
  if (word & kFragment) {
    if (!w.has(6, 2)) return e.cut_short(kind);
    if (w.u16(6) >> 3) return e.closed(kind, Unopened::fragment);
  }
  w.skip((word >> 19) * 4);
  if (!(word & kNative)) return e.is(kind, Layer::ethernet);
  if ((word >> 9 & 31) != kWlan) return e.closed(kind, Unopened::not_ip);
  if (!w.has(0, 1)) return e.cut_short(kind);
  return e.is(kind, (w.u8(0) & 15) == 8 ? Layer::wlan : Layer::swapped_wlan);
}

Attempt enter_as(UdpTunnel kind, TunnelEntry& e) {
  switch (kind) {
    case UdpTunnel::vxlan: return vxlan(e);
    case UdpTunnel::vxlan_gpe: return vxlan_gpe(e);
    case UdpTunnel::geneve: return geneve(e);
    case UdpTunnel::gtp_u: return gtp_u(e);
    case UdpTunnel::teredo: return teredo(e);
    case UdpTunnel::l2tp: return l2tp(e);
    case UdpTunnel::tzsp: return tzsp(e);
    case UdpTunnel::capwap: return capwap(e);
    case UdpTunnel::gre_udp: return enter_gre(e, TunnelKind::gre_in_udp);         // RFC 8086
    case UdpTunnel::mpls_udp: return e.is(TunnelKind::mpls_in_udp, Layer::mpls);  // RFC 7510
    case UdpTunnel::lisp: return e.behind(TunnelKind::lisp, 8, Layer::raw);       // RFC 9300
  }
  return {};
}

// Both ends have its port where both send from it.
constexpr bool is_known_by_either_port(UdpTunnel kind) {
  return kind == UdpTunnel::gtp_u || kind == UdpTunnel::teredo || kind == UdpTunnel::l2tp || kind == UdpTunnel::capwap;
}

}  // namespace

Layer enter_udp(TunnelEntry& e, const TunnelKinds& kinds) {
  if (!e.walk.has(0, 4)) return Layer::nothing;
  const unsigned to = kinds.of(e.walk.u16(2)), either = to | kinds.of(e.walk.u16(0));
  if (either == 0) return Layer::nothing;
  e.walk.skip(kUdpHeader);
  for (std::size_t i = 0; i < kUdpTunnels; ++i) {
    const auto kind = static_cast<UdpTunnel>(i);
    if (!((is_known_by_either_port(kind) ? either : to) & TunnelKinds::bit(kind))) continue;
    if (const Attempt layer = enter_as(kind, e)) return *layer;
  }
  return Layer::nothing;
}

}  // namespace warpmeter::inline packet
