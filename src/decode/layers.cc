#include "decode/layers.h"

#include "decode/link_headers.h"
#include "decode/wlan.h"

namespace warpmeter {
namespace {

constexpr std::uint32_t kIpHeader = 0x060603;  // IEEE 802.2: both service access points IP, unnumbered

constexpr bool is_vlan_tag(std::uint16_t type) {
  return type == kTypeVlan || type == 0x88a8 || type == 0x9100 || type == 0x9200 || type == 0x9300;
}

Layer ethernet(Walk& w) { return type_at(w, kEthernetHeader - 2, kEthernetHeader); }

// The layer that an EtherType (or an 802.3 length) announces.
Layer by_type(Walk& w) {
  while (is_vlan_tag(w.type)) {
    if (!w.has(0, kVlanTag)) return w.cut_short();
    if (!w.tagged) w.vlan = w.u16(0) & kVlanId;
    w.tagged = true;
    w.type = w.u16(2);
    w.at += kVlanTag;
  }
  switch (w.type) {
    case kTypeIp4: return Layer::ipv4;
    case kTypeIp6: return Layer::ipv6;
    case 0x8847:
    case 0x8848: return Layer::mpls;
    case 0x8864: w.skip(6); return Layer::ppp;  // PPPoE session (RFC 2516)
    default: return w.type <= 1500 ? Layer::llc : w.not_ip();
  }
}

// RFC 3032 label stack; what follows is told by its first four bits (RFC 4928).
Layer mpls(Walk& w) {
  for (;; w.at += 4) {
    if (!w.has(2, 1)) return w.cut_short();
    if (w.u8(2) & 1) break;
  }
  w.at += 4;
  if (!w.has(0, 1)) return w.cut_short();
  switch (w.u8(0) >> 4) {
    case 4: return Layer::ipv4;
    case 6: return Layer::ipv6;
    case 0: w.at += 4; return Layer::ethernet;  // pseudo-wire control word (RFC 4385)
    default: return w.not_ip();
  }
}

// RFC 1661, with address and control bytes and the protocol's first byte perhaps compressed away.
Layer ppp(Walk& w) {
  if (w.has(0, 2) && w.u16(0) == 0xff03) w.at += 2;
  if (!w.has(0, 1)) return w.cut_short();
  std::uint16_t protocol = w.u8(0);
  if (protocol & 1) {
    w.at += 1;
  } else {
    if (!w.has(0, 2)) return w.cut_short();
    protocol = w.u16(0);
    w.at += 2;
  }
  switch (protocol) {
    case 0x0021: return Layer::ipv4;
    case 0x0057: return Layer::ipv6;
    case 0x0281:
    case 0x0283: return Layer::mpls;
    default: return w.not_ip();
  }
}

Layer llc(Walk& w) {
  if (!w.has(0, 3)) return w.not_ip();
  if (w.u24(0) == kSnapHeader) return type_at(w, 6, 8);
  if (w.u24(0) == kIpHeader) {
    w.at += 3;
    return Layer::ipv4;
  }
  return w.not_ip();
}

Layer raw(Walk& w) {
  if (!w.has(0, 1)) return w.cut_short();
  const int version = w.u8(0) >> 4;
  if (version == 4) return Layer::ipv4;
  return version == 6 ? Layer::ipv6 : w.not_ip();
}

}  // namespace

Layer type_at(Walk& w, std::uint32_t offset, std::uint32_t header) {
  if (!w.has(offset, 2)) return w.cut_short();
  w.type = w.u16(offset);
  w.skip(header);
  return Layer::by_type;
}

IpPlace descend(Walk w, Layer layer) {
  for (;;) {
    switch (layer) {
      case Layer::link: layer = link_header(w); break;
      case Layer::ethernet: layer = ethernet(w); break;
      case Layer::by_type: layer = by_type(w); break;
      case Layer::mpls: layer = mpls(w); break;
      case Layer::ppp: layer = ppp(w); break;
      case Layer::llc: layer = llc(w); break;
      case Layer::wlan: layer = wlan(w); break;
      case Layer::raw: layer = raw(w); break;
      case Layer::ipv4: return {4, w.at, w.vlan, w.why};
      case Layer::ipv6: return {6, w.at, w.vlan, w.why};
      case Layer::nothing: return {0, w.at, w.vlan, w.why};
    }
  }
}

}  // namespace warpmeter
