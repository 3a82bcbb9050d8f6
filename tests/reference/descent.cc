// IEEE 802.3, 802.1Q, 802.1AE, 802.1BR, 802.1CB, 802.2 and 802.11 (A-MSDU), RFC 1042 (SNAP), RFC 3032 (MPLS), RFC 4385
// (pseudo-wires), RFC 2516 (PPPoE), RFC 1661, RFC 1990 (multilink), RFC 8300 (NSH).
#include "descent.h"

#include <algorithm>

namespace reference {

IpPlace Descent::by_version() {
  const int version = u8(0) >> 4;
  if (version != 4 && version != 6) not_ip();
  return found(version);
}

void Descent::one_deeper() {
  constexpr int most = 8;
  if (++frame_->nested > most) not_ip();
}

// Cisco's ISL: 26 bytes before an Ethernet frame, sent to an address of which 5 bytes are told here.
bool Descent::is_isl() const {
  if (!matches(0, {0x01, 0x00, 0x0c, 0x00, 0x00}) && !matches(0, {0x0c, 0x00, 0x0c, 0x00, 0x00})) return false;
  const uint16_t length = u16(12);
  return length >= 1 && length <= 1500;
}

IpPlace Descent::ethernet() {
  one_deeper();
  if (is_isl()) {
    const bool holds_ethernet = u8(5) < 0x10;
    if (!holds_ethernet) not_ip();
    if (!frame_->vlan) frame_->vlan = u16(20) / 2 % 4096;
    return skip(26).ethernet();
  }
  const uint16_t kind = u16(12);
  return skip(14).ethertype(kind);
}

namespace {

bool is_vlan(uint16_t kind) {
  for (const uint16_t tag : {0x8100, 0x88a8, 0x8200, 0x9100, 0x9200, 0x9300})
    if (kind == tag) return true;
  return false;
}

}  // namespace

// With the EtherType at its end; none for what is no tag.
std::optional<int64_t> Descent::tag_size(uint16_t kind) const {
  if (is_vlan(kind)) return 4;
  if (kind == 0x892f || kind == 0x8926 || kind == 0xf1c1) return 6;  // HSR, VN-Tag, R-TAG
  if (kind == 0x8909 || kind == 0x893f) return 8;                    // Cisco CMD, E-TAG
  if (kind == 0x88e5) {                                              // MACsec
    const uint8_t control = u8(0);
    const bool in_the_clear = (control & 0x80) == 0 && (control & 0x0c) == 0;
    if (!in_the_clear) not_ip();
    return control & 0x20 ? 16 : 8;
  }
  if (kind == 0xd28b) {  // Arista
    const uint8_t version = u8(3);
    if (u16(0) != 1 || (version != 0x10 && version != 0x20)) not_ip();
    return version == 0x10 ? 14 : 12;
  }
  return {};
}

IpPlace Descent::ethertype(uint16_t kind) {
  while (const auto size = tag_size(kind)) {
    if (is_vlan(kind) && !frame_->vlan) frame_->vlan = u16(0) & 0xfff;
    kind = u16(*size - 2);
    skip(*size);
  }
  switch (kind) {
    case 0x0800: return found(4);
    case 0x86dd: return found(6);
    case 0x8847:
    case 0x8848: return mpls();
    case 0x8864: return skip(6).ppp();
    case 0x894f: return nsh();
    case 0x88e7: return skip(4).ethernet();  // 802.1ah
    case 0x8903: return skip(2).ethernet();  // FabricPath
    default: break;
  }
  if (kind > 1500) not_ip();
  return llc();
}

IpPlace Descent::nsh() {
  const int64_t words = u16(0) % 64;
  const uint8_t following = u8(3);
  if (words < 2) not_ip();
  return skip(4 * words).next_protocol(following);
}

IpPlace Descent::next_protocol(uint8_t number) {
  switch (number) {
    case 1: return found(4);
    case 2: return found(6);
    case 3: return ethernet();
    case 4: return nsh();
    case 5: return mpls();
    default: not_ip();
  }
}

// Does IP follow Ethernet's addresses and tags here, with a header that fits the frame?
bool Descent::is_ip_in_ethernet() const {
  try {
    int64_t at = 12;
    while (is_vlan(u16(at))) at += 4;
    const uint16_t kind = u16(at);
    at += 2;
    const int64_t room = frame_->original - (at_ + at);
    const int version = u8(at) >> 4;
    if (kind == 0x86dd) return version == 6 && u16(at + 4) + 40 <= room;
    const int64_t header = u8(at) % 16 * 4, length = u16(at + 2);
    return kind == 0x0800 && version == 4 && header >= 20 && header <= length && length <= room;
  } catch (const IgnoredFrame&) {
    return false;
  }
}

// A pseudo-wire has a control word, whose first nibble is 0, or none.
IpPlace Descent::mpls() {
  bool bottom = false;
  while (!bottom) {
    bottom = u8(2) & 1;
    skip(4);
  }
  const int nibble = u8(0) >> 4;
  Descent behind_control_word = *this;
  behind_control_word.skip(4);
  if (nibble == 0 && behind_control_word.is_ip_in_ethernet()) return behind_control_word.ethernet();
  if (is_ip_in_ethernet()) return ethernet();
  return nibble == 0 ? behind_control_word.ethernet() : by_version();
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
    case 0x3d: return multilink();
    default: not_ip();
  }
}

// A packet in one fragment: behind a long header, or else behind a short one.
IpPlace Descent::multilink() {
  if (u8(0) < 0xc0) not_ip();
  one_deeper();
  const int nested = frame_->nested;
  Descent longer = *this;
  try {
    return longer.skip(4).ppp();
  } catch (const IgnoredFrame&) {
    frame_->nested = nested;
  }
  return skip(2).ppp();
}

IpPlace Descent::llc() {
  if (matches(0, {0xaa, 0xaa, 0x03})) return skip(3).snap();
  if (!matches(0, {0x06, 0x06, 0x03})) not_ip();
  return skip(3).found(4);
}

IpPlace Descent::snap() {
  const uint32_t oui = uint32_t{u16(0)} << 8 | u8(2);
  if (oui != 0 && oui != 0xf8) not_ip();
  const uint16_t kind = u16(3);
  return skip(5).ethertype(kind);
}

bool Descent::msdus_fill_frame() const {
  const int64_t end = frame_->original;
  int64_t at = at_;
  if (end - at < 14) return false;
  while (end - at > 7) {
    if (at + 14 > frame_->bytes.size()) return false;
    const int64_t msdu_end = at + 14 + frame_->bytes.u16(at + 12);
    if (msdu_end > end) return false;
    at += (msdu_end - at + 3) / 4 * 4;
  }
  return true;
}

void Descent::split_msdus() const {
  SeveralFrames several;
  const Bytes& b = frame_->bytes;
  for (int64_t at = at_; at + 14 <= b.size();) {
    const int64_t length = 14 + b.u16(at + 12);
    const Bytes part(b.slice(at, std::min(length, b.size() - at)));
    several.parts.emplace_back(part, length, frame_->vlan);
    at += (length + 3) / 4 * 4;
  }
  throw several;
}

}  // namespace reference
