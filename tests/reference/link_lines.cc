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

namespace {

// Behind the byte that says which protocol it is.
IpPlace arcnet_protocol(Descent descent, uint8_t protocol) {
  if (protocol == 240) return descent.found(4);  // RFC 1051, which has no fragments
  if (protocol != 212 && protocol != 196) not_ip();
  const bool whole = descent.u8(0) == 0;
  if (!whole) not_ip();
  return descent.skip(3).found(protocol == 212 ? 4 : 6);
}

}  // namespace

IpPlace arcnet(Descent descent) {
  const uint8_t protocol = descent.u8(2);
  descent.skip(3);
  const bool is_exception = protocol != 240 && descent.u8(0) == 0xff;
  return arcnet_protocol(is_exception ? descent.skip(4) : descent, protocol);
}

IpPlace arcnet_linux(Descent descent) {
  const uint8_t protocol = descent.u8(4);
  return arcnet_protocol(descent.skip(5), protocol);
}

IpPlace atm_clip(Descent descent) {
  return descent.matches(0, {0xaa, 0xaa, 0x03}) ? descent.llc() : descent.by_version();
}

IpPlace frame_relay(Descent descent) {
  constexpr uint8_t unnumbered = 0x03, ip4 = 0xcc, ip6 = 0x8e, snap = 0x80;
  if (descent.u8(2) != unnumbered) {  // Cisco's
    return descent.u16(2) == 0x6558 ? descent.skip(4).ethernet() : cisco_hdlc(descent);
  }
  const bool padded = descent.u8(3) == 0;
  const uint8_t protocol = descent.skip(padded ? 4 : 3).u8(0);
  descent.skip(1);
  if (protocol == ip4) return descent.found(4);
  if (protocol == ip6) return descent.found(6);
  if (protocol != snap) not_ip();
  descent.u8(4);
  const bool with_fcs = descent.matches(0, {0x00, 0x80, 0xc2, 0x00, 0x01});
  if (with_fcs || descent.matches(0, {0x00, 0x80, 0xc2, 0x00, 0x07})) return descent.skip(5).ethernet();
  return descent.snap();
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
