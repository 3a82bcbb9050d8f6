// The layers before IP that many link types and tunnels share: Ethernet (VLAN tags, MPLS with pseudo-wires, PPPoE,
// LLC/SNAP) and PPP. A descent stands at one place in a frame's bytes and walks downwards from there until it finds IP.
#pragma once

#include <cstdint>
#include <optional>

#include "bytes.h"

namespace reference {

struct IpPlace {
  int version = 0;               // 4 or 6, as announced by the layer below
  int64_t at = 0;                // offset of the IP header in the frame
  std::optional<uint16_t> vlan;  // outermost VLAN id, 12 bits
};

[[noreturn]] inline void not_ip() { throw IgnoredFrame{Ignored::not_ip}; }

// What walks throws IgnoredFrame. Offsets count from where the descent stands.
class Descent {
 public:
  Descent(const Bytes& bytes, int64_t at) : bytes_(bytes), at_(at) {}

  uint8_t u8(int64_t offset) const { return bytes_.u8(at_ + offset); }
  uint16_t u16(int64_t offset) const { return bytes_.u16(at_ + offset); }
  uint32_t u32(int64_t offset) const { return bytes_.u32(at_ + offset); }
  uint16_t little_u16(int64_t offset) const { return bytes_.little_u16(at_ + offset); }
  uint32_t little_u32(int64_t offset) const { return bytes_.little_u32(at_ + offset); }
  bool matches(int64_t offset, std::initializer_list<uint8_t> pattern) const {
    return bytes_.matches(at_ + offset, pattern);
  }

  Descent& skip(int64_t count) {
    at_ += count;
    return *this;
  }

  IpPlace found(int version) const { return {version, at_, vlan_}; }
  IpPlace by_version();              // IP, of the version that its first four bits say
  IpPlace ethernet();                // two addresses, EtherType
  IpPlace ethertype(uint16_t kind);  // what an EtherType, or an 802.3 length, announced
  IpPlace mpls();
  IpPlace ppp();
  IpPlace llc();

 private:
  IpPlace vlan_tag();

  const Bytes& bytes_;
  int64_t at_;
  std::optional<uint16_t> vlan_;
};

}  // namespace reference
