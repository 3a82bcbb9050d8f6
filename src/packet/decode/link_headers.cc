#include "packet/decode/layers.h"

#include <algorithm>

#include "warpmeter/link_type.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint8_t kArcnetIp = 240;

// What another header says lies within it. A header of a type within one of its own type makes no sense.
Layer inner_link(Walk& w, std::uint32_t link, LinkType outer, std::uint64_t header) {
  if (!is_known_link(link) || link == outer) {
    return w.not_ip(ProtocolSpace::link_type, static_cast<std::uint16_t>(std::min(link, 0xffffU)));
  }
  w.type = static_cast<std::uint16_t>(link);
  w.skip(header);
  return Layer::link;
}

Layer behind(Walk& w, std::uint32_t header, Layer next) {
  w.skip(header);
  return next;
}

// What an address family announces: Layer::ipv4, Layer::ipv6, or nothing.
Layer of_family(Walk& w, std::uint32_t family) {
  switch (family) {
    case 2: return Layer::ipv4;
    case 10:                      // Linux
    case 24:                      // NetBSD, OpenBSD
    case 28:                      // FreeBSD
    case 30: return Layer::ipv6;  // macOS
    default: return w.not_ip(ProtocolSpace::family, static_cast<std::uint16_t>(std::min(family, 0xffffU)));
  }
}

// In the byte order of the capturing machine, which nobody knows; both are tried. REQUIRES: 4 bytes.
Layer of_family_here(Walk& w) {
  const std::uint32_t little = w.little32(0), big = w.u32(0);
  const Layer layer = of_family(w, std::max(little, big));
  return layer == Layer::nothing ? of_family(w, std::min(little, big)) : layer;
}

// BSD loopback: an address family; or two bytes of address and control, and an EtherType.
Layer null_loopback(Walk& w) {
  constexpr std::uint16_t kTypeFollows = 0x0f00;
  if (!w.has(0, 4)) return w.cut_short();
  const Layer layer = of_family_here(w);
  if (layer == Layer::nothing && w.u16(0) == kTypeFollows) return type_at(w, 2, 4);
  return behind(w, 4, layer);
}

// OpenBSD's IPsec: family, security parameter index, flags.
Layer enc(Walk& w) {
  if (!w.has(0, 4)) return w.cut_short();
  return behind(w, 12, of_family_here(w));
}

// OpenBSD's packet filter: the length of the header, which is padded, and the family.
Layer pflog(Walk& w) {
  if (!w.has(0, 2)) return w.cut_short();
  return behind(w, (w.u8(0) + 3u) / 4 * 4, of_family(w, w.u8(1)));
}

// Linux cooked headers: `type` is an EtherType, or a small number of Linux' own.
Layer cooked(Walk& w, std::uint32_t type_at, std::uint32_t hardware_at, std::uint32_t size) {
  constexpr std::uint16_t kNetlink = 824;
  constexpr std::uint16_t kLlcFollows = 4;
  if (!w.has(type_at, 2) || !w.has(hardware_at, 2)) return w.cut_short();
  const std::uint16_t hardware = w.u16(hardware_at);
  w.type = w.u16(type_at);
  w.at += size;
  if (hardware == kNetlink) return w.not_ip(ProtocolSpace::cooked, kNetlink);
  if (w.type == kLlcFollows) return Layer::llc;
  return w.type <= 1500 ? w.not_ip(ProtocolSpace::cooked, w.type) : Layer::by_type;
}

// IEEE 802.5: source routing only where the source address says so.
Layer token_ring(Walk& w) {
  if (!w.has(1, 1)) return w.cut_short();
  if ((w.u8(1) & 0xc0) != 0x40) return w.not_ip();  // no LLC frame
  if (!w.has(8, 1)) return w.cut_short();
  std::uint32_t routing = 0;
  if (w.u8(8) & 0x80) {
    if (!w.has(14, 1)) return w.cut_short();
    routing = w.u8(14) & 31;
  }
  return behind(w, 14 + routing, Layer::llc);
}

Layer fddi(Walk& w) {
  if (!w.has(0, 1)) return w.cut_short();
  if ((w.u8(0) & 0xf0) != 0x50) return w.not_ip();  // no LLC frame
  return behind(w, 13, Layer::llc);
}

Layer cisco_hdlc(Walk& w) { return type_at(w, 2, 4); }

// RFC 1662 framing; Cisco's by its own address bytes, unicast and multicast.
Layer ppp_hdlc(Walk& w) {
  if (!w.has(0, 2)) return w.cut_short();
  return w.u16(0) == 0x0f00 || w.u16(0) == 0x8f00 ? cisco_hdlc(w) : Layer::ppp;
}

// RFC 1483 encapsulation where there is any (RFC 2225: classical IP over ATM).
Layer atm_clip(Walk& w) {
  const bool snap = w.has(0, 3) && w.u24(0) == kSnapHeader;
  return snap ? Layer::llc : Layer::raw;
}

// RFC 2427: control, perhaps padding, NLPID.
Layer rfc2427(Walk& w) {
  constexpr std::uint32_t kBridged = 0x0080c2;
  constexpr std::uint16_t kWithFcs = 1, kWithoutFcs = 7;
  if (!w.has(3, 1)) return w.cut_short();
  w.at += w.u8(3) ? 3 : 4;
  if (!w.has(0, 1)) return w.cut_short();
  switch (w.u8(0)) {
    case 0xcc: return behind(w, 1, Layer::ipv4);
    case 0x8e: return behind(w, 1, Layer::ipv6);
    case 0x80: break;  // SNAP
    default: return w.not_ip(ProtocolSpace::nlpid, w.u8(0));
  }
  if (!w.has(1, 5)) return w.cut_short();
  const std::uint16_t type = w.u16(4);
  if (w.u24(1) == kBridged && (type == kWithFcs || type == kWithoutFcs)) return behind(w, 6, Layer::ethernet);
  return behind(w, 1, Layer::snap);
}

// RFC 2427, or Cisco's: an EtherType.
Layer frame_relay(Walk& w) {
  constexpr std::uint8_t kUnnumberedInformation = 3;
  if (!w.has(2, 1)) return w.cut_short();
  if (w.u8(2) == kUnnumberedInformation) return rfc2427(w);
  if (w.has(2, 2) && w.u16(2) == kTransparentEthernet) return behind(w, 4, Layer::ethernet);
  return type_at(w, 2, 4);
}

// The protocol ids of RFC 1051 (no fragment header) and RFC 1201 (IPv4, IPv6; unfragmented packets only). `at`: behind
// it.
Layer arcnet_protocol(Walk& w, std::uint8_t protocol, std::uint32_t at) {
  if (protocol == kArcnetIp) return behind(w, at, Layer::ipv4);
  if (protocol != 212 && protocol != 196) return w.not_ip();
  if (!w.has(at, 1)) return w.cut_short();
  if (w.u8(at) != 0) return w.not_ip();
  return behind(w, at + 3, protocol == 212 ? Layer::ipv4 : Layer::ipv6);
}

// An exception frame has four bytes more before its fragment header.
Layer arcnet(Walk& w) {
  constexpr std::uint8_t kException = 0xff;
  if (!w.has(2, 1)) return w.cut_short();
  const std::uint8_t protocol = w.u8(2);
  if (protocol == kArcnetIp) return arcnet_protocol(w, protocol, 3);
  if (!w.has(3, 1)) return w.cut_short();
  return arcnet_protocol(w, protocol, w.u8(3) == kException ? 7 : 3);
}

Layer arcnet_linux(Walk& w) {
  if (!w.has(4, 1)) return w.cut_short();
  return arcnet_protocol(w, w.u8(4), 5);
}

// A record of an ERF file: its type, and extension headers of 8 bytes, of which each says whether there is another one.
Layer erf(Walk& w) {
  constexpr std::uint8_t kType = 0x7f, kMore = 0x80;
  constexpr std::uint32_t kHeader = 16, kExtension = 8, kEthernetPad = 2;
  if (!w.has(8, 1)) return w.cut_short();
  bool more = w.u8(8) & kMore;
  switch (w.u8(8) & kType) {
    case 2:
    case 11:
    case 16:
    case 20: w.type = kLinkEthernet; break;
    case 1:
    case 10:
    case 15:
    case 19: w.type = kLinkPppHdlc; break;
    case 22: w.type = kLinkIpv4; break;
    case 23: w.type = kLinkIpv6; break;
    default: return w.not_ip();
  }
  for (w.skip(kHeader); more; w.skip(kExtension)) {
    if (!w.has(0, 1)) return w.cut_short();
    more = w.u8(0) & kMore;
  }
  return behind(w, w.type == kLinkEthernet ? kEthernetPad : 0, Layer::link);
}

// Solaris: the address family is Solaris' own.
Layer ipnet(Walk& w) {
  if (!w.has(1, 1)) return w.cut_short();
  const std::uint8_t family = w.u8(1);
  if (family != 2 && family != 26) return w.not_ip();
  return behind(w, 24, family == 2 ? Layer::ipv4 : Layer::ipv6);
}

// Linux netfilter: attributes, in the byte order of the capturing machine, among which the packet is. A type has its
// number in the lower byte, which tells the order.
Layer nflog(Walk& w) {
  constexpr std::uint16_t kPayload = 9;
  constexpr std::uint16_t kTypeBits = 0x7fff;
  if (!w.has(0, 1)) return w.cut_short();
  const std::uint8_t family = w.u8(0);
  if (family != 2 && family != 10) return w.not_ip();
  w.at += 4;
  for (;;) {
    if (!w.has(0, 4)) return w.cut_short();
    const bool little = (w.little16(2) & kTypeBits) <= 255;
    const std::uint16_t length = little ? w.little16(0) : w.u16(0);
    const std::uint16_t type = (little ? w.little16(2) : w.u16(2)) & kTypeBits;
    if (type == kPayload) return behind(w, 4, family == 2 ? Layer::ipv4 : Layer::ipv6);
    if (length < 4) return w.not_ip();
    w.skip((length + 3u) / 4 * 4);
  }
}

// Apple's packet metadata, little endian.
Layer pktap(Walk& w) {
  constexpr std::uint32_t kPacketRecord = 1;
  if (!w.has(0, 12)) return w.cut_short();
  if (w.little32(4) != kPacketRecord) return w.not_ip();
  return inner_link(w, w.little32(8), kLinkPktap, w.little32(0));
}

// CACE's Per-Packet Information: version, flags, length, then the link type; little endian.
Layer ppi(Walk& w) {
  if (!w.has(2, 6)) return w.cut_short();
  return inner_link(w, w.little32(4), kLinkPpi, w.little16(2));
}

// Juniper's magic number, flags, and perhaps extensions before the Ethernet header.
Layer juniper_ethernet(Walk& w) {
  constexpr std::uint32_t kMagic = 0x4d4743;
  constexpr std::uint8_t kNoLinkHeader = 2;
  constexpr std::uint8_t kExtensions = 0x80;
  if (!w.has(0, 3)) return w.cut_short();
  if (w.u24(0) != kMagic) return w.not_ip();
  if (!w.has(3, 1)) return w.cut_short();
  if (w.u8(3) & kNoLinkHeader) return w.not_ip();
  if (!(w.u8(3) & kExtensions)) return behind(w, 4, Layer::ethernet);
  if (!w.has(4, 2)) return w.cut_short();
  return behind(w, 6u + w.u16(4), Layer::ethernet);
}

// IEEE 802.3br: a preamble whose last byte tells an express frame, or the first part of a preemptable one.
Layer mpacket(Walk& w) {
  if (!w.has(7, 1)) return w.cut_short();
  switch (w.u8(7)) {
    case 0xd5:
    case 0xe6:
    case 0x4c:
    case 0x7f:
    case 0xb3: return behind(w, 8, Layer::ethernet);
    default: return w.not_ip();
  }
}

}  // namespace

Layer link_header(Walk& w) {
  w.note(ProtocolSpace::link_type, w.type);
  switch (w.type) {
    case kLinkEthernet: return Layer::ethernet;
    case kLinkCooked: return cooked(w, 14, 2, 16);
    case kLinkCooked2: return cooked(w, 0, 8, 20);
    case kLinkRaw:
    case kLinkRawBsd:
    case kLinkRawOpenBsd: return Layer::raw;
    case kLinkIpv4: return Layer::ipv4;
    case kLinkIpv6: return Layer::ipv6;
    case kLinkNull:
    case kLinkLoop: return null_loopback(w);
    case kLinkEnc: return enc(w);
    case kLinkPflog: return pflog(w);
    case kLinkPpp:
    case kLinkPppHdlc: return ppp_hdlc(w);
    case kLinkPppEthernet: return behind(w, 6, Layer::ppp);
    case kLinkCiscoHdlc: return cisco_hdlc(w);
    case kLinkFrameRelay: return frame_relay(w);
    case kLinkSlip: return behind(w, 16, Layer::raw);
    case kLinkAtmLlc: return Layer::llc;
    case kLinkAtmClip: return atm_clip(w);
    case kLinkTokenRing: return token_ring(w);
    case kLinkFddi: return fddi(w);
    case kLinkArcnet: return arcnet(w);
    case kLinkArcnetLinux: return arcnet_linux(w);
    case kLinkIpoib: return type_at(w, 40, 44);
    case kLinkErf: return erf(w);
    case kLinkIpnet: return ipnet(w);
    case kLinkNflog: return nflog(w);
    case kLinkPktap: return pktap(w);
    case kLinkPpi: return ppi(w);
    case kLinkWlan: return Layer::wlan;
    case kLinkRadiotap: return radiotap(w);
    case kLinkAvs: return avs(w);
    case kLinkPrism: return prism(w);
    case kLinkJuniperEthernet: return juniper_ethernet(w);
    case kLinkMpacket: return mpacket(w);
    case kLinkBroadcomPrepended: return behind(w, 4, Layer::ethernet);
    case kLinkBroadcomTag:
    case kLinkDsaTag: return type_at(w, 16, 18);  // four bytes more than the MAC addresses
    case kLinkEdsaTag: return type_at(w, 20, 22);
    default: w.why = Ignored::unknown_link_type; return Layer::nothing;
  }
}

}  // namespace warpmeter::inline packet
