#include "decode/wlan.h"

namespace warpmeter {
namespace {

// Frame control, first byte: type and subtype; second byte: flags (IEEE 802.11, 9.2.4.1).
constexpr std::uint8_t kTypeBits = 0x0c;
constexpr std::uint8_t kData = 0x08;
constexpr std::uint8_t kWithoutBody = 0x40;
constexpr std::uint8_t kQos = 0x80;
constexpr std::uint8_t kToAndFromDs = 0x03;
constexpr std::uint8_t kProtected = 0x40;
constexpr std::uint8_t kHighThroughputControl = 0x80;

constexpr std::uint32_t kPrismHeader = 144;

std::uint32_t header_bytes(std::uint8_t control, std::uint8_t flags) {
  std::uint32_t bytes = 24;
  if ((flags & kToAndFromDs) == kToAndFromDs) bytes += 6;
  if (!(control & kQos)) return bytes;
  return bytes + (flags & kHighThroughputControl ? 6 : 2);
}

bool has_snap(const Walk& w, std::uint32_t at) { return w.has(at, 3) && w.u24(at) == kSnapHeader; }

}  // namespace

Layer wlan(Walk& w) {
  if (!w.has(0, 2)) return w.cut_short();
  const std::uint8_t control = w.u8(0), flags = w.u8(1);
  if ((control & kTypeBits) != kData || control & kWithoutBody || flags & kProtected) return w.not_ip();
  const std::uint32_t header = header_bytes(control, flags);
  for (const std::uint32_t padding : {0u, 2u}) {  // some drivers pad the header to four bytes
    if (!has_snap(w, header + padding)) continue;
    w.skip(header + padding);
    return Layer::llc;
  }
  return w.not_ip();
}

Layer radiotap(Walk& w) {
  if (!w.has(2, 2)) return w.cut_short();
  w.skip(w.little16(2));
  return Layer::wlan;
}

Layer avs(Walk& w) {
  if (!w.has(4, 4)) return w.cut_short();
  w.skip(w.u32(4));
  return Layer::wlan;
}

Layer prism(Walk& w) {
  constexpr std::uint32_t kAvsMagic = 0x802110;
  if (!w.has(0, 4)) return w.cut_short();
  if (w.u32(0) >> 8 == kAvsMagic) return avs(w);
  w.skip(kPrismHeader);
  return Layer::wlan;
}

}  // namespace warpmeter
