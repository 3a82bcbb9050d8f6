// IEEE 802.5 and FDDI, RFC 1051 and 1201 (ARCNET), RFC 2225 (ATM), RFC 2427 (frame relay), RFC 1547 and Cisco's HDLC.
#include "link_layers.h"

namespace reference {

IpPlace token_ring(Descent descent) {
  if ((descent.u8(1) & 0xc0) != 0x40) not_ip();
  const bool source_routed = descent.u8(8) & 0x80;
  return descent.skip(14 + (source_routed ? descent.u8(14) & 31 : 0)).llc();
}

IpPlace fddi(Descent descent) {
  if ((descent.u8(0) & 0xf0) != 0x50) not_ip();
  return descent.skip(13).llc();
}

IpPlace arcnet_linux(Descent descent) {
  switch (descent.u8(4)) {
    case 240: return descent.skip(5).found(4);  // RFC 1051, which has no fragments
    case 212:
      if (descent.u8(5) == 0) return descent.skip(8).found(4);
      break;
    case 196:
      if (descent.u8(5) == 0) return descent.skip(8).found(6);
      break;
    default: break;
  }
  not_ip();
}

IpPlace atm_clip(Descent descent) {
  return descent.matches(0, {0xaa, 0xaa, 0x03}) ? descent.llc() : descent.by_version();
}

IpPlace frame_relay(Descent descent) {
  constexpr uint8_t unnumbered = 0x03, ip4 = 0xcc, ip6 = 0x8e;
  if (descent.u8(2) != unnumbered) return cisco_hdlc(descent);  // both have 2 bytes of address, then an EtherType
  const uint8_t protocol = descent.u8(3);
  if (protocol != ip4 && protocol != ip6) not_ip();
  return descent.skip(4).found(protocol == ip4 ? 4 : 6);
}

IpPlace cisco_hdlc(Descent descent) {
  const uint16_t kind = descent.u16(2);
  return descent.skip(4).ethertype(kind);
}

IpPlace ppp_hdlc(Descent descent) {
  const uint16_t first = descent.u16(0);
  return first == 0x0f00 || first == 0x8f00 ? cisco_hdlc(descent) : descent.ppp();
}

}  // namespace reference
