#include "packet/decode/tunnel.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint16_t kVersion = 7, kChecksum = 0x8000, kRouting = 0x4000, kKey = 0x2000, kSequence = 0x1000;
constexpr std::uint16_t kPpp = 0x880b;

// RFC 2637 section 4.1: without a sequence number there is no payload.
Layer pptp(TunnelEntry& e, TunnelKind kind, std::uint16_t flags) {
  constexpr std::uint16_t kAcknowledgement = 0x80;
  if (!(flags & kSequence)) return Layer::nothing;
  return e.behind(kind, flags & kAcknowledgement ? 16 : 12, Layer::ppp);
}

// MikroTik's Ethernet over IP is version 1 by its number only: length and tunnel id follow.
Layer version_1(TunnelEntry& e, TunnelKind kind, std::uint16_t flags, std::uint16_t type) {
  constexpr std::uint16_t kEthernetOverIp = 0x6400;
  if (type == kEthernetOverIp) return e.behind(kind, 8, Layer::ethernet);
  return type == kPpp ? pptp(e, kind, flags) : e.closed(kind, Unopened::other_version);
}

// Type III may have a platform's part of 8 bytes behind its 12.
Layer erspan3(TunnelEntry& e, TunnelKind kind) {
  constexpr std::uint8_t kPlatformPart = 1;
  if (!e.walk.has(11, 1)) return e.cut_short(kind);
  return e.behind(kind, e.walk.u8(11) & kPlatformPart ? 20 : 12, Layer::ethernet);
}

// Version 2 has a header of 4 bytes before IP, version 1 none, and no number tells which it is.
Layer wccp(TunnelEntry& e, TunnelKind kind) {
  if (!e.walk.has(0, 1)) return e.cut_short(kind);
  return e.behind(kind, e.walk.u8(0) >> 4 == 4 ? 0 : 4, Layer::ipv4);
}

// 802.11 frames of Aruba's access points: the number tells their tunnel, too.
constexpr bool is_aruba(std::uint16_t type) {
  return (0x8200 <= type && type <= 0x8370 && (type & 15) == 0) || type == 0x9000;
}

}  // namespace

Layer enter_gre(TunnelEntry& e, TunnelKind kind) {
  constexpr std::uint16_t kErspan1Or2 = 0x88be, kErspan3 = 0x22eb, kWccp = 0x883e;
  Walk& w = e.walk;
  if (!w.has(0, 4)) return e.cut_short(kind);
  const std::uint16_t flags = w.u16(0);
  w.type = w.u16(2);
  if ((flags & kVersion) == 1) return version_1(e, kind, flags, w.type);
  if (flags & kVersion) return e.closed(kind, Unopened::other_version);
  if (flags & kRouting) return e.closed(kind, Unopened::source_routed);
  if (flags & kKey) e.note_id(4u + (flags & kChecksum ? 4 : 0), 4);
  w.skip(4u + (flags & kChecksum ? 4 : 0) + (flags & kKey ? 4 : 0) + (flags & kSequence ? 4 : 0));
  switch (w.type) {
    case kTransparentEthernet: return e.is(kind, Layer::ethernet);                        // NVGRE among others
    case kErspan1Or2: return e.behind(kind, flags & kSequence ? 8 : 0, Layer::ethernet);  // type I has no header
    case kErspan3: return erspan3(e, kind);
    case kPpp: return e.is(kind, Layer::ppp);
    case kWccp: return wccp(e, kind);
    default: return e.is(kind, is_aruba(w.type) ? Layer::wlan : Layer::by_type);
  }
}

}  // namespace warpmeter::inline packet
