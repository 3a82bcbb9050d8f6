// Each layer is one function that moves the walk to the next layer. They do not call each other: a frame may nest
// layers as deep as it has bytes, and must not be able to nest our stack.
#include "decode/link_layer.h"

#include "warpmeter/byte_order.h"
#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

enum class Layer { ethernet, by_type, mpls, ppp, llc, raw, ipv4, ipv6, nothing };

struct Walk {
  const std::uint8_t* data;
  std::uint32_t size;
  std::uint32_t at = 0;    // where the current layer begins
  std::uint16_t type = 0;  // EtherType or 802.3 length, for Layer::by_type
  std::uint16_t vlan = 0;
  bool tagged = false;
  Ignored why = Ignored::not_ip;

  bool has(std::uint32_t offset, std::uint32_t bytes) const { return std::uint64_t{at} + offset + bytes <= size; }
  std::uint8_t u8(std::uint32_t offset) const { return data[at + offset]; }
  std::uint16_t u16(std::uint32_t offset) const { return load_be16(data + at + offset); }

  Layer cut_short() {
    why = Ignored::cut_short;
    return Layer::nothing;
  }
  Layer not_ip() {
    why = Ignored::not_ip;
    return Layer::nothing;
  }
};

constexpr bool is_vlan_tag(std::uint16_t type) {
  return type == 0x8100 || type == 0x88a8 || type == 0x9100 || type == 0x9200 || type == 0x9300;
}

Layer ethernet(Walk& w) {
  if (!w.has(12, 2)) return w.cut_short();
  w.type = w.u16(12);
  w.at += 14;
  return Layer::by_type;
}

// The layer that an EtherType (or an 802.3 length) announces.
Layer by_type(Walk& w) {
  while (is_vlan_tag(w.type)) {
    if (!w.has(0, 4)) return w.cut_short();
    if (!w.tagged) w.vlan = w.u16(0) & 0xfff;
    w.tagged = true;
    w.type = w.u16(2);
    w.at += 4;
  }
  switch (w.type) {
    case 0x0800: return Layer::ipv4;
    case 0x86dd: return Layer::ipv6;
    case 0x8847:
    case 0x8848: return Layer::mpls;
    case 0x8864: w.at += 6; return Layer::ppp;  // PPPoE session (RFC 2516)
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
  const unsigned header = w.u8(0) << 16 | w.u8(1) << 8 | w.u8(2);
  if (header == 0xaaaa03) {  // SNAP
    if (!w.has(6, 2)) return w.cut_short();
    w.type = w.u16(6);
    w.at += 8;
    return Layer::by_type;
  }
  if (header == 0x060603) {
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

// Linux cooked headers: `type` is an EtherType, or a small number of Linux' own.
Layer cooked(Walk& w, std::uint32_t type_at, std::uint32_t hardware_at, std::uint32_t size) {
  constexpr std::uint16_t kNetlink = 824;
  constexpr std::uint16_t kLlcFollows = 4;
  if (!w.has(type_at, 2) || !w.has(hardware_at, 2)) return w.cut_short();
  const std::uint16_t hardware = w.u16(hardware_at);
  w.type = w.u16(type_at);
  w.at += size;
  if (hardware == kNetlink) return w.not_ip();
  if (w.type == kLlcFollows) return Layer::llc;
  return w.type <= 1500 ? w.not_ip() : Layer::by_type;
}

Layer first_layer(Walk& w, std::uint16_t link) {
  switch (link) {
    case kLinkEthernet: return ethernet(w);
    case kLinkCooked: return cooked(w, 14, 2, 16);
    case kLinkCooked2: return cooked(w, 0, 8, 20);
    case kLinkIpv4: return Layer::ipv4;
    case kLinkIpv6: return Layer::ipv6;
    case kLinkRaw:
    case kLinkRawBsd:
    case kLinkRawOpenBsd: return raw(w);
    default: w.why = Ignored::unknown_link_type; return Layer::nothing;
  }
}

}  // namespace

IpPlace find_ip(const Frame& frame) {
  Walk w{.data = frame.data, .size = frame.captured};
  Layer layer = first_layer(w, frame.link);
  for (;;) {
    switch (layer) {
      case Layer::ethernet: layer = ethernet(w); break;
      case Layer::by_type: layer = by_type(w); break;
      case Layer::mpls: layer = mpls(w); break;
      case Layer::ppp: layer = ppp(w); break;
      case Layer::llc: layer = llc(w); break;
      case Layer::raw: layer = raw(w); break;
      case Layer::ipv4: return {4, w.at, w.vlan, w.why};
      case Layer::ipv6: return {6, w.at, w.vlan, w.why};
      case Layer::nothing: return {0, w.at, w.vlan, w.why};
    }
  }
}

}  // namespace warpmeter
