#include "decode/tunnel.h"

namespace warpmeter {
namespace {

constexpr std::uint8_t kIpInIp = 4;
constexpr std::uint8_t kIp6InIp = 41;
constexpr std::uint8_t kGre = 47;
constexpr std::uint8_t kUdp = 17;

constexpr std::uint16_t kTransparentEthernet = 0x6558;  // EtherType of a bridged Ethernet frame
constexpr std::uint32_t kUdpHeader = 8;

// These all begin where their own header does, and move the walk to what lies within. Layer::nothing: no tunnel, or it
// cannot be told what is in there.

Layer behind(Walk& w, std::uint64_t header, Layer next) {
  w.skip(header);
  return next;
}

// RFC 2637 section 4.1: without a sequence number there is no payload.
Layer pptp(Walk& w, std::uint16_t flags, std::uint16_t type) {
  constexpr std::uint16_t kPpp = 0x880b, kSequence = 0x1000, kAcknowledgement = 0x80;
  if (type != kPpp || !(flags & kSequence)) return Layer::nothing;
  return behind(w, flags & kAcknowledgement ? 16 : 12, Layer::ppp);
}

// Type III may have a platform's part of 8 bytes behind its 12.
Layer erspan3(Walk& w) {
  constexpr std::uint8_t kPlatformPart = 1;
  if (!w.has(11, 1)) return Layer::nothing;
  return behind(w, w.u8(11) & kPlatformPart ? 20 : 12, Layer::ethernet);
}

Layer gre(Walk& w) {
  constexpr std::uint16_t kVersion = 7, kChecksum = 0x8000, kRouting = 0x4000, kKey = 0x2000, kSequence = 0x1000;
  constexpr std::uint16_t kErspan1Or2 = 0x88be, kErspan3 = 0x22eb;
  if (!w.has(0, 4)) return Layer::nothing;
  const std::uint16_t flags = w.u16(0);
  w.type = w.u16(2);
  if ((flags & kVersion) == 1) return pptp(w, flags, w.type);
  if (flags & (kVersion | kRouting)) return Layer::nothing;
  w.skip(4u + (flags & kChecksum ? 4 : 0) + (flags & kKey ? 4 : 0) + (flags & kSequence ? 4 : 0));
  switch (w.type) {
    case kTransparentEthernet: return Layer::ethernet;                               // NVGRE among others
    case kErspan1Or2: return behind(w, flags & kSequence ? 8 : 0, Layer::ethernet);  // type I has no header
    case kErspan3: return erspan3(w);
    default: return Layer::by_type;
  }
}

bool is_vxlan(const Walk& w) {
  constexpr std::uint8_t kHasNetwork = 8;
  return w.has(0, 1) && w.u8(0) & kHasNetwork;
}

Layer geneve(Walk& w) {
  if (!w.has(0, 4)) return Layer::nothing;
  const std::uint32_t options = (w.u8(0) & 63u) * 4;
  w.type = w.u16(2);
  return behind(w, 8 + options, w.type == kTransparentEthernet ? Layer::ethernet : Layer::by_type);
}

// Version 1, protocol type GTP, message G-PDU.
bool is_gtp_user_data(const Walk& w) {
  constexpr std::uint8_t kUserData = 255;
  return w.has(0, 2) && (w.u8(0) & 0xf0) == 0x30 && w.u8(1) == kUserData;
}

// The optional fields are there if any of their three flags is set. Extension headers: their length in words comes
// first, the next one's type last.
Layer gtp_user_data(Walk& w) {
  constexpr std::uint8_t kOptionalFields = 7, kExtensions = 4;
  const std::uint8_t flags = w.u8(0);
  if (!(flags & kOptionalFields)) return behind(w, 8, Layer::raw);
  if (!w.has(11, 1)) return Layer::nothing;
  std::uint8_t next = flags & kExtensions ? w.u8(11) : 0;
  w.at += 12;
  while (next) {
    if (!w.has(0, 1)) return Layer::nothing;
    const std::uint32_t size = w.u8(0) * 4u;
    if (size == 0 || !w.has(size - 1, 1)) return Layer::nothing;
    next = w.u8(size - 1);
    w.at += size;
  }
  return Layer::raw;
}

Layer teredo(Walk& w) {
  constexpr std::uint16_t kAuthentication = 1, kOrigin = 0;
  if (w.has(0, 2) && w.u16(0) == kAuthentication) {
    if (!w.has(2, 2)) return Layer::nothing;
    w.skip(13u + w.u8(2) + w.u8(3));
  }
  if (w.has(0, 2) && w.u16(0) == kOrigin) w.at += 8;
  return w.has(0, 1) && w.u8(0) >> 4 == 6 ? Layer::ipv6 : Layer::nothing;
}

// Version 2, data messages.
Layer l2tp(Walk& w) {
  constexpr std::uint16_t kControl = 0x8000, kLength = 0x4000, kSequence = 0x800, kOffset = 0x200, kVersion = 15;
  if (!w.has(0, 2)) return Layer::nothing;
  const std::uint16_t flags = w.u16(0);
  if (flags & kControl || (flags & kVersion) != 2) return Layer::nothing;
  w.at += 2 + (flags & kLength ? 2 : 0) + 4 + (flags & kSequence ? 4 : 0);
  if (!(flags & kOffset)) return Layer::ppp;
  if (!w.has(0, 2)) return Layer::nothing;
  return behind(w, 2u + w.u16(0), Layer::ppp);
}

// By port: servers have theirs at either end where both sides send from it.
Layer udp_tunnel(Walk& w) {
  if (!w.has(0, 4)) return Layer::nothing;
  const std::uint16_t source = w.u16(0), destination = w.u16(2);
  const auto either = [&](std::uint16_t port) { return source == port || destination == port; };
  w.skip(kUdpHeader);
  if (destination == 4789 && is_vxlan(w)) return behind(w, 8, Layer::ethernet);
  if (destination == 6081) return geneve(w);
  if (either(2152) && is_gtp_user_data(w)) return gtp_user_data(w);
  if (either(3544)) return teredo(w);
  return either(1701) ? l2tp(w) : Layer::nothing;
}

// What lies in `p`, or Layer::nothing.
Layer enter(const IpPacket& p, Walk& w) {
  if (p.fragment_offset) return Layer::nothing;
  switch (p.protocol) {
    case kIpInIp: return Layer::ipv4;
    case kIp6InIp: return Layer::ipv6;
    case kGre: return gre(w);
    case kUdp: return udp_tunnel(w);
    default: return Layer::nothing;
  }
}

}  // namespace

IpPlace place_in_tunnel(const Frame& frame, const IpPacket& outer, const IpPlace& at) {
  Walk walk = walk_in(frame);
  walk.vlan = at.vlan;
  walk.tagged = at.tagged;
  walk.skip(static_cast<std::uint64_t>(outer.payload - frame.data));
  const Layer layer = enter(outer, walk);
  return descend(walk, layer);
}

}  // namespace warpmeter
