// Ethernet (VLAN tags, MPLS with pseudo-wires, PPPoE, LLC/SNAP) and raw IP.
#include "link.h"

#include <algorithm>
#include <array>

namespace reference {
namespace {

constexpr std::array<uint32_t, 3> raw_by_version{12, 14, 101};
constexpr uint32_t raw_ip4 = 228, raw_ip6 = 229, ethernet = 1;

// Walks downwards through the layers before IP; `at` is where the next unread header begins.
class Descent {
 public:
  explicit Descent(const Bytes& bytes) : bytes_(bytes) {}

  IpPlace from_ethernet() {
    const uint16_t kind = bytes_.u16(at_ + 12);
    at_ += 14;
    return from_ethertype(kind);
  }

  IpPlace from_version_nibble() {
    const int version = bytes_.u8(at_) >> 4;
    if (version != 4 && version != 6) throw IgnoredFrame{Ignored::not_ip};
    return found(version);
  }

  IpPlace found(int version) const { return {version, at_, vlan_}; }

 private:
  IpPlace from_ethertype(uint16_t kind) {
    switch (kind) {
      case 0x8100:
      case 0x88a8:
      case 0x9100:
      case 0x9200:
      case 0x9300: return from_vlan_tag();
      case 0x0800: return found(4);
      case 0x86dd: return found(6);
      case 0x8847:
      case 0x8848: return from_mpls();
      case 0x8864: at_ += 6; return from_ppp();
      default: break;
    }
    if (kind <= 1500) return from_llc();
    throw IgnoredFrame{Ignored::not_ip};
  }

  IpPlace from_vlan_tag() {
    const uint16_t id = bytes_.u16(at_) & 0xfff;
    if (!vlan_) vlan_ = id;
    const uint16_t kind = bytes_.u16(at_ + 2);
    at_ += 4;
    return from_ethertype(kind);
  }

  IpPlace from_mpls() {
    bool bottom = false;
    while (!bottom) {
      bottom = bytes_.u8(at_ + 2) & 1;
      at_ += 4;
    }
    if (bytes_.u8(at_) >> 4 != 0) return from_version_nibble();
    at_ += 4;  // a nibble of 0 is the control word of an Ethernet pseudo-wire
    return from_ethernet();
  }

  IpPlace from_ppp() {
    if (bytes_.matches(at_, {0xff, 0x03})) at_ += 2;
    uint16_t protocol = bytes_.u8(at_);
    if (protocol & 1) {  // compressed to one byte
      at_ += 1;
    } else {
      protocol = bytes_.u16(at_);
      at_ += 2;
    }
    if (protocol == 0x21) return found(4);
    if (protocol == 0x57) return found(6);
    if (protocol == 0x281 || protocol == 0x283) return from_mpls();
    throw IgnoredFrame{Ignored::not_ip};
  }

  IpPlace from_llc() {
    if (bytes_.matches(at_, {0xaa, 0xaa, 0x03})) {  // SNAP
      const uint16_t kind = bytes_.u16(at_ + 6);
      at_ += 8;
      return from_ethertype(kind);
    }
    if (!bytes_.matches(at_, {0x06, 0x06, 0x03})) throw IgnoredFrame{Ignored::not_ip};
    at_ += 3;
    return found(4);
  }

  const Bytes& bytes_;
  int64_t at_ = 0;
  std::optional<uint16_t> vlan_;
};

bool is_raw_by_version(uint32_t link) {
  return std::find(raw_by_version.begin(), raw_by_version.end(), link) != raw_by_version.end();
}

}  // namespace

bool is_known_link(uint32_t link) {
  return link == ethernet || link == raw_ip4 || link == raw_ip6 || is_raw_by_version(link);
}

IpPlace find_ip(const Frame& frame) {
  Descent descent(frame.bytes);
  if (frame.link == ethernet) return descent.from_ethernet();
  if (is_raw_by_version(frame.link)) return descent.from_version_nibble();
  return descent.found(frame.link == raw_ip4 ? 4 : 6);
}

}  // namespace reference
