// IEEE 802.11 section 9.2; radiotap.org; the Prism and AVS monitor headers.
#include "link_layers.h"

namespace reference {

IpPlace wlan(Descent descent) {
  const uint8_t control = descent.u8(0), flags = descent.u8(1);
  constexpr uint8_t data = 2, no_body = 0x40, qos = 0x80;
  constexpr uint8_t four_addresses = 3, encrypted = 0x40, order = 0x80;
  if ((control >> 2 & 3) != data || control & no_body || flags & encrypted) not_ip();
  descent.skip(24);
  if ((flags & four_addresses) == four_addresses) descent.skip(6);
  if (control & qos) descent.skip(flags & order ? 6 : 2);  // QoS control, and HT control
  if (descent.matches(0, {0xaa, 0xaa, 0x03})) return descent.llc();
  if (descent.matches(2, {0xaa, 0xaa, 0x03})) return descent.skip(2).llc();  // some drivers fill up to 4 bytes
  not_ip();
}

IpPlace radiotap(Descent descent) {
  const uint16_t length = descent.little_u16(2);
  return wlan(descent.skip(length));
}

IpPlace avs(Descent descent) {
  const uint32_t length = descent.u32(4);
  return wlan(descent.skip(length));
}

IpPlace prism(Descent descent) {
  descent.u32(0);
  if (descent.matches(0, {0x80, 0x21, 0x10})) return avs(descent);  // AVS under Prism's number
  return wlan(descent.skip(144));
}

}  // namespace reference
