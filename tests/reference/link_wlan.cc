// IEEE 802.11 section 9.2; radiotap.org; the Prism and AVS monitor headers.
#include <utility>
#include <vector>

#include "link_layers.h"

namespace reference {

namespace {

bool has_snap(const Descent& descent, int64_t at) { return descent.matches(at, {0xaa, 0xaa, 0x03}); }

// Where the MSDUs of an A-MSDU begin, some drivers having filled up to 4 bytes before them.
void split_msdus_at(const Descent& body) {
  std::vector<Descent> starts;
  for (const int64_t padding : {0, 2}) {
    starts.push_back(body);
    starts.back().skip(padding);
  }
  for (const Descent& start : starts)
    if (has_snap(start, 14)) start.split_msdus();
  for (const Descent& start : starts)
    if (start.msdus_fill_frame()) start.split_msdus();
}

}  // namespace

IpPlace wlan(Descent descent, bool swapped) {
  uint8_t control = descent.u8(0), flags = descent.u8(1);
  if (swapped) std::swap(control, flags);
  constexpr uint8_t data = 8, no_body = 0x40, qos = 0x80;
  constexpr uint8_t four_addresses = 3, encrypted = 0x40, order = 0x80;
  if (control % 16 != data || control & no_body || flags & encrypted) not_ip();
  descent.skip(24);
  if ((flags & four_addresses) == four_addresses) descent.skip(6);
  bool mesh = false;
  if (control & qos) {  // QoS control, and HT control
    const bool several = descent.u8(0) & 0x80;
    mesh = descent.u8(1) & 1;
    descent.skip(flags & order ? 6 : 2);
    if (several) split_msdus_at(descent);
  }
  const int64_t mesh_control = mesh ? 6 * (1 + descent.u8(0) % 4) : 0;
  for (const int64_t at : {int64_t{0}, int64_t{2}, mesh_control})  // some drivers fill up to 4 bytes
    if (has_snap(descent, at)) return descent.skip(at).llc();
  not_ip();
}

IpPlace radiotap(Descent descent) {
  const uint16_t length = descent.little_u16(2);
  return wlan(descent.skip(length), false);
}

IpPlace avs(Descent descent) {
  const uint32_t length = descent.u32(4);
  return wlan(descent.skip(length), false);
}

IpPlace prism(Descent descent) {
  descent.u32(0);
  if (descent.matches(0, {0x80, 0x21, 0x10})) return avs(descent);  // AVS under Prism's number
  return wlan(descent.skip(144), false);
}

}  // namespace reference
