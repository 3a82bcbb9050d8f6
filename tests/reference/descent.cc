// IEEE 802.3, 802.1Q and 802.2, RFC 1042 (SNAP), RFC 3032 (MPLS), RFC 4385 (pseudo-wires), RFC 2516 (PPPoE), RFC 1661.
#include "descent.h"

namespace reference {

IpPlace Descent::by_version() {
  const int version = u8(0) >> 4;
  if (version != 4 && version != 6) not_ip();
  return found(version);
}

IpPlace Descent::ethernet() {
  const uint16_t kind = u16(12);
  return skip(14).ethertype(kind);
}

IpPlace Descent::ethertype(uint16_t kind) {
  switch (kind) {
    case 0x8100:
    case 0x88a8:
    case 0x9100:
    case 0x9200:
    case 0x9300: return vlan_tag();
    case 0x0800: return found(4);
    case 0x86dd: return found(6);
    case 0x8847:
    case 0x8848: return mpls();
    case 0x8864: return skip(6).ppp();
    default: break;
  }
  if (kind > 1500) not_ip();
  return llc();
}

IpPlace Descent::vlan_tag() {
  const uint16_t id = u16(0) & 0xfff;
  if (!vlan_) vlan_ = id;
  const uint16_t kind = u16(2);
  return skip(4).ethertype(kind);
}

IpPlace Descent::mpls() {
  bool bottom = false;
  while (!bottom) {
    bottom = u8(2) & 1;
    skip(4);
  }
  if (u8(0) >> 4 != 0) return by_version();
  return skip(4).ethernet();  // a nibble of 0 is the control word of an Ethernet pseudo-wire
}

IpPlace Descent::ppp() {
  if (matches(0, {0xff, 0x03})) skip(2);
  const bool compressed = u8(0) & 1;
  const uint16_t protocol = compressed ? u8(0) : u16(0);
  skip(compressed ? 1 : 2);
  switch (protocol) {
    case 0x21: return found(4);
    case 0x57: return found(6);
    case 0x281:
    case 0x283: return mpls();
    default: not_ip();
  }
}

IpPlace Descent::llc() {
  if (matches(0, {0xaa, 0xaa, 0x03})) {  // SNAP
    const uint16_t kind = u16(6);
    return skip(8).ethertype(kind);
  }
  if (!matches(0, {0x06, 0x06, 0x03})) not_ip();
  return skip(3).found(4);
}

}  // namespace reference
