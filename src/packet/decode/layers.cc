#include "packet/decode/layers.h"

#include <cstring>

namespace warpmeter::inline packet {
namespace {

constexpr std::uint16_t kMostLength = 1500;    // an EtherType is larger
constexpr std::uint32_t kIpHeader = 0x060603;  // IEEE 802.2: both service access points IP, unnumbered

constexpr bool is_vlan_tag(std::uint16_t type) {
  return type == kTypeVlan || type == 0x88a8 || type == 0x8200 || type == 0x9100 || type == 0x9200 || type == 0x9300;
}

// Cisco's ISL: an Ethernet header of its own before the whole frame.
bool is_isl(const Walk& w) {
  constexpr std::uint64_t kMulticast = 0x01000c0000, kOther = 0x0c000c0000;
  if (!w.has(0, kEthernetHeader)) return false;
  const std::uint64_t destination = std::uint64_t{w.u32(0)} << 8 | w.u8(4);
  const std::uint16_t length = w.u16(kEthernetHeader - 2);
  return (destination == kMulticast || destination == kOther) && length > 0 && length <= kMostLength;
}

Layer isl(Walk& w) {
  constexpr std::uint32_t kHeader = 26, kVlan = 20;
  if (w.u8(5) >> 4) return w.not_ip();  // no Ethernet
  if (!w.tagged) {
    if (!w.has(kVlan, 2)) return w.cut_short();
    w.tag(w.u16(kVlan) >> 1 & kVlanId);
  }
  w.skip(kHeader);
  return Layer::ethernet;
}

Layer ethernet(Walk& w) {
  if (!w.deeper()) return w.not_ip();
  if (is_isl(w)) return isl(w);
  if (w.annex && w.has(0, Annex::kAddresses)) [[unlikely]]
    w.annex->take_addresses(w.data + w.at);
  return type_at(w, kEthernetHeader - 2, kEthernetHeader);
}

// Bytes of the tag that begins here, with the EtherType that ends it, if it is one that can be walked; else 0. A tag
// cut short before it says its length has some.
std::uint32_t tag_size(const Walk& w) {
  if (is_vlan_tag(w.type)) return kVlanTag;
  switch (w.type) {
    case 0x8926: return 6;  // VN-Tag
    case 0x893f: return 8;  // E-TAG (IEEE 802.1BR)
    case 0x892f: return 6;  // HSR (IEC 62439-3)
    case 0xf1c1: return 6;  // R-TAG (IEEE 802.1CB)
    case 0x8909: return 8;  // Cisco's metadata
    case 0x88e5: {          // MACsec (IEEE 802.1AE)
      constexpr std::uint8_t kVersionOrEncryption = 0x8c, kChannel = 0x20;
      const std::uint8_t flags = w.has(0, 1) ? w.u8(0) : 0;
      return flags & kVersionOrEncryption ? 0 : flags & kChannel ? 16 : 8;
    }
    case 0xd28b: {  // Arista's time stamps, of 64 bits or of 48
      if (!w.has(0, 4)) return 12;
      if (w.u16(0) != 1) return 0;
      return w.u8(3) == 0x10 ? 14 : w.u8(3) == 0x20 ? 12 : 0;
    }
    default: return 0;
  }
}

// The layer that an EtherType (or an 802.3 length) announces.
Layer by_type(Walk& w) {
  while (const std::uint32_t size = tag_size(w)) {
    if (is_vlan_tag(w.type) && w.has(0, 2)) w.tag(w.u16(0) & kVlanId);  // known, even if no more was captured
    if (!w.has(0, size)) return w.cut_short();
    w.type = w.u16(size - 2);
    w.at += size;
  }
  const auto behind = [&w](std::uint32_t header, Layer next) { return w.skip(header), next; };
  w.note(ProtocolSpace::ether_type, w.type);
  switch (w.type) {
    case kTypeIp4: return Layer::ipv4;
    case kTypeIp6: return Layer::ipv6;
    case 0x8847:
    case 0x8848: return Layer::mpls;
    case 0x8864: return behind(6, Layer::ppp);  // PPPoE session (RFC 2516)
    case 0x894f: return Layer::nsh;
    case 0x88e7: return behind(4, Layer::ethernet);  // IEEE 802.1ah
    case 0x8903: return behind(2, Layer::ethernet);  // FabricPath
    default: return w.type <= kMostLength ? Layer::llc : w.not_ip();
  }
}

// RFC 8300.
Layer nsh(Walk& w) {
  if (!w.has(0, 4)) return w.cut_short();
  const std::uint32_t size = (w.u16(0) & 63u) * 4;
  const std::uint8_t protocol = w.u8(3);
  if (size < 8) return w.not_ip();
  w.skip(size);
  return next_protocol(w, protocol);
}

// Does an Ethernet frame with IP in it begin at `offset`? Believed where MAC addresses, VLAN tags and EtherType precede
// an IP header whose version and length fit the frame.
bool is_ethernet(Walk w, std::uint32_t offset) {
  w.skip(offset + kEthernetHeader);
  for (;; w.skip(kVlanTag)) {
    if (w.at > w.size) return false;
    w.type = load_be16(w.data + w.at - 2);
    if (!is_vlan_tag(w.type)) break;
  }
  if (w.original < w.at) return false;
  const std::uint32_t room = w.original - w.at;
  if (w.type == kTypeIp4 && w.has(0, 4) && w.u8(0) >> 4 == 4) {
    const std::uint32_t header = (w.u8(0) & 15u) * 4, length = w.u16(2);
    return header >= 20 && header <= length && length <= room;
  }
  return w.type == kTypeIp6 && w.has(0, 6) && w.u8(0) >> 4 == 6 && 40u + w.u16(4) <= room;
}

// RFC 3032 label stack; what follows is told by its first four bits (RFC 4928), but for a pseudo-wire: Ethernet, behind
// a control word (RFC 4385) or without one.
Layer mpls(Walk& w) {
  constexpr std::uint32_t kControlWord = 4, kBelowLabel = 4;
  if (w.annex && w.has(0, 3) && !w.annex->has_value(AnnexField::mpls_label)) {
    w.annex->set_number(AnnexField::mpls_label, w.u24(0) >> kBelowLabel);
  }
  for (;; w.at += 4) {
    if (!w.has(2, 1)) return w.cut_short();
    if (w.u8(2) & 1) break;
  }
  w.at += 4;
  if (!w.has(0, 1)) return w.cut_short();
  const int nibble = w.u8(0) >> 4;
  if (!(nibble == 0 && is_ethernet(w, kControlWord))) {
    if (is_ethernet(w, 0)) return Layer::ethernet;
    if (nibble == 4) return Layer::ipv4;
    if (nibble == 6) return Layer::ipv6;
    if (nibble != 0) return w.not_ip();
  }
  w.at += kControlWord;
  return Layer::ethernet;
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
  w.note(ProtocolSpace::ppp, protocol);
  switch (protocol) {
    case 0x0021: return Layer::ipv4;
    case 0x0057: return Layer::ipv6;
    case 0x0281:
    case 0x0283: return Layer::mpls;
    case 0x003d: return Layer::multilink;
    default: return w.not_ip();
  }
}

// RFC 1990: a fragment that is a whole packet, behind 4 bytes, or behind 2 where no IP is found behind 4. In either may
// be another one: which of them were tried, and did not lead to IP, is kept here, so that none is tried twice.
class MultilinkTries {
 public:
  Layer enter(Walk& w) {
    constexpr std::uint8_t kBeginAndEnd = 0xc0;
    if (!w.has(0, 1)) return w.cut_short();
    if ((w.u8(0) & kBeginAndEnd) != kBeginAndEnd || !w.deeper()) return w.not_ip();
    for (int i = 0; i < failed_; ++i) {
      if (failures_[i].at != w.at || failures_[i].nested != w.nested) continue;
      w.why = failures_[i].why;
      return Layer::nothing;
    }
    open_[opened_++] = {w.at, w.nested, w.why, false};
    w.skip(4);
    return Layer::ppp;
  }

  // Where no IP was found: is there another place to look for it?
  bool go_back(Walk& w) {
    while (opened_ > 0) {
      Try& latest = open_[opened_ - 1];
      if (!latest.is_short) {
        latest.is_short = true;
        w.at = latest.at;
        w.nested = latest.nested;
        w.skip(2);
        return true;
      }
      latest.why = w.why;
      if (failed_ < kMostFailures) failures_[failed_++] = latest;
      --opened_;
    }
    return false;
  }

 private:
  struct Try {
    std::uint32_t at;
    std::uint8_t nested;
    Ignored why;
    bool is_short;
  };
  static constexpr int kMostFailures = (1 << kMostNested) - 1;  // there are no more
  Try open_[kMostNested], failures_[kMostFailures];
  int opened_ = 0, failed_ = 0;
};

// IEEE 802.2.
Layer llc(Walk& w) {
  if (!w.has(0, 3)) return w.not_ip();
  const std::uint32_t header = w.u24(0);
  w.at += 3;
  w.note(ProtocolSpace::llc, static_cast<std::uint16_t>(header >> 8));
  if (header == kSnapHeader) return Layer::snap;
  return header == kIpHeader ? Layer::ipv4 : w.not_ip();
}

// An OUI, and what it says of the two bytes behind it: an EtherType under these two.
Layer snap(Walk& w) {
  constexpr std::uint32_t kEncapsulated = 0, kBridgeTunnel = 0xf8, kCisco = 0x00000c, kBridged = 0x0080c2;
  if (!w.has(0, 3)) return w.cut_short();
  const std::uint32_t oui = w.u24(0);
  if (oui == kEncapsulated || oui == kBridgeTunnel) return type_at(w, 3, 5);
  const std::uint16_t protocol = w.has(3, 2) ? w.u16(3) : 0;
  if (oui == kCisco) return w.not_ip(ProtocolSpace::snap_cisco, protocol);
  if (oui == kBridged) return w.not_ip(ProtocolSpace::snap_bridge, protocol);
  return w.not_ip(ProtocolSpace::snap_other, static_cast<std::uint16_t>(oui >> 8));
}

Layer raw(Walk& w) {
  if (!w.has(0, 1)) return w.cut_short();
  const int version = w.u8(0) >> 4;
  if (version == 4) return Layer::ipv4;
  return version == 6 ? Layer::ipv6 : w.not_ip(ProtocolSpace::raw, static_cast<std::uint16_t>(version));
}

}  // namespace

Layer next_protocol(Walk& w, std::uint8_t protocol) {
  switch (protocol) {
    case 1: return Layer::ipv4;
    case 2: return Layer::ipv6;
    case 3: return Layer::ethernet;
    case 4: return Layer::nsh;
    case 5: return Layer::mpls;
    default: return w.not_ip(ProtocolSpace::next_protocol, protocol);
  }
}

Layer type_at(Walk& w, std::uint32_t offset, std::uint32_t header) {
  if (!w.has(offset, 2)) return w.cut_short();
  w.type = w.u16(offset);
  w.skip(header);
  return Layer::by_type;
}

IpPlace descend(Walk w, Layer layer) {
  MultilinkTries multilink;
  for (;;) {
    switch (layer) {
      case Layer::link: layer = link_header(w); break;
      case Layer::ethernet: layer = ethernet(w); break;
      case Layer::by_type: layer = by_type(w); break;
      case Layer::mpls: layer = mpls(w); break;
      case Layer::nsh: layer = nsh(w); break;
      case Layer::ppp: layer = ppp(w); break;
      case Layer::multilink: layer = multilink.enter(w); break;
      case Layer::llc: layer = llc(w); break;
      case Layer::snap: layer = snap(w); break;
      case Layer::wlan: layer = wlan(w, false); break;
      case Layer::swapped_wlan: layer = wlan(w, true); break;
      case Layer::msdus: return {0, w.at, w.vlan, w.why, w.tagged, true};
      case Layer::raw: layer = raw(w); break;
      case Layer::ipv4: return {4, w.at, w.vlan, w.why, w.tagged};
      case Layer::ipv6: return {6, w.at, w.vlan, w.why, w.tagged};
      case Layer::nothing:
        if (!multilink.go_back(w)) return {0, w.at, w.vlan, w.why, w.tagged, false, w.what};
        layer = Layer::ppp;
        break;
    }
  }
}

}  // namespace warpmeter::inline packet
