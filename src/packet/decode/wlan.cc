#include "packet/decode/layers.h"

namespace warpmeter::inline packet {
namespace {

// Frame control, first byte: version, type and subtype; second byte: flags (IEEE 802.11, 9.2.4.1).
constexpr std::uint8_t kVersionAndType = 0x0f;
constexpr std::uint8_t kData = 0x08;
constexpr std::uint8_t kWithoutBody = 0x40;
constexpr std::uint8_t kQos = 0x80;
constexpr std::uint8_t kToAndFromDs = 0x03;
constexpr std::uint8_t kProtected = 0x40;
constexpr std::uint8_t kHighThroughputControl = 0x80;
// QoS control, first byte; second byte.
constexpr std::uint8_t kSeveralMsdus = 0x80;
constexpr std::uint8_t kMeshControl = 0x01;

constexpr std::uint32_t kPrismHeader = 144;

// What a frame is that has no packet to be read.
WlanFrame kind_of(std::uint8_t control, std::uint8_t flags) {
  constexpr std::uint8_t kType = 0x0c;
  switch (control & kType) {
    case 0x00: return WlanFrame::management;
    case 0x04: return WlanFrame::control;
    case kData: break;
    default: return WlanFrame::extension;
  }
  if (control & kWithoutBody) return WlanFrame::without_body;
  return flags & kProtected ? WlanFrame::encrypted : WlanFrame::unknown_body;
}

// As the next one begins behind it.
std::uint32_t padded_msdu(std::uint32_t size) { return (size + 3) / 4 * 4; }

bool has_snap(const Walk& w, std::uint32_t at) { return w.has(at, 3) && w.u24(at) == kSnapHeader; }

// By their lengths the MSDUs from `at` on end where the frame does, but for a few bytes (padding, frame check
// sequence).
bool msdus_fill(Walk w, std::uint32_t at) {
  constexpr std::uint32_t kMostBehind = 7;
  w.skip(at);
  if (w.original < std::uint64_t{w.at} + kMsduHeader) return false;
  while (w.original > std::uint64_t{w.at} + kMostBehind) {
    if (!w.has(0, kMsduHeader)) return false;
    const std::uint32_t size = kMsduHeader + w.u16(kMsduHeader - 2);
    if (std::uint64_t{w.at} + size > w.original) return false;
    w.skip(padded_msdu(size));
  }
  return true;
}

// Do MSDUs begin at `body`, or behind 2 bytes of padding there? Then goes there.
bool find_msdus(Walk& w, std::uint32_t body) {
  const auto begin_at = [&w](std::uint32_t at) { return w.skip(at), true; };
  for (const std::uint32_t at : {body, body + 2}) {
    if (has_snap(w, at + kMsduHeader)) return begin_at(at);
  }
  for (const std::uint32_t at : {body, body + 2}) {
    if (msdus_fill(w, at)) return begin_at(at);
  }
  return false;
}

}  // namespace

Layer wlan(Walk& w, bool swapped) {
  if (!w.has(0, 2)) return w.cut_short();
  const std::uint8_t control = w.u8(swapped), flags = w.u8(!swapped);
  w.note(ProtocolSpace::wlan, static_cast<std::uint16_t>(kind_of(control, flags)));
  if ((control & kVersionAndType) != kData || control & kWithoutBody || flags & kProtected) return w.not_ip();
  std::uint32_t body = (flags & kToAndFromDs) == kToAndFromDs ? 30 : 24;
  bool mesh = false;
  if (control & kQos) {
    if (!w.has(body, 2)) return w.cut_short();
    const bool several = w.u8(body) & kSeveralMsdus;
    mesh = w.u8(body + 1) & kMeshControl;
    body += flags & kHighThroughputControl ? 6 : 2;
    if (several && find_msdus(w, body)) return Layer::msdus;
  }
  for (const std::uint32_t padding : {0u, 2u}) {  // some drivers pad the header to four bytes
    if (!has_snap(w, body + padding)) continue;
    w.skip(body + padding);
    return Layer::llc;
  }
  if (!mesh) return w.not_ip();
  constexpr std::uint8_t kMoreAddresses = 3;
  if (!w.has(body, 1)) return w.cut_short();
  body += 6u + 6u * (w.u8(body) & kMoreAddresses);
  if (!has_snap(w, body)) return w.not_ip();
  w.skip(body);
  return Layer::llc;
}

bool Msdus::next(Frame& msdu) {
  const std::uint32_t captured = at_ < frame_.captured ? frame_.captured - at_ : 0;
  if (captured < kMsduHeader) return false;
  msdu = frame_;
  msdu.data = frame_.data + at_;
  msdu.original = kMsduHeader + load_be16(msdu.data + kMsduHeader - 2);
  msdu.captured = std::min(captured, msdu.original);
  at_ += padded_msdu(msdu.original);
  return true;
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

}  // namespace warpmeter::inline packet
