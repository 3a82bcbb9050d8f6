// Ethernet with all that may stand before IP.
#include "ether_draft.h"

#include <algorithm>

#include "put_bytes.h"

namespace reference {

Announced announced(const IpPacket& packet) {
  return {!packet.bytes.empty() && packet.bytes[0] >> 4 == 6, packet.length};
}

void put_mac_addresses(std::vector<uint8_t>& out, Random& random) {
  put(out, random.pick<uint64_t>({0x020000000001, 0xffffffffffff}), 6);
  put(out, random.pick<uint64_t>({0x020000000002, 0x020000000003}), 6);
}

namespace {

// A tag of another kind than a VLAN's.
void put_other_tag(std::vector<uint8_t>& out, Random& random) {
  const auto kind = random.pick<uint64_t>({0x8926, 0x893f, 0x892f, 0xf1c1, 0x8909, 0x88e5, 0xd28b});
  put(out, kind, 2);
  switch (kind) {
    case 0x893f:
    case 0x8909: return put_filler(out, 6, random);
    case 0x88e5: {
      const bool channel = random.percent(50);
      put(out, random.percent(10) ? random.pick({0x80, 0x08, 0x04}) : channel ? 0x20 : 0x40, 1);
      return put_filler(out, channel ? 13 : 5, random);
    }
    case 0xd28b: {
      const bool whole = random.percent(50);
      put(out, random.percent(5) ? 2 : 1, 2);
      put(out, whole ? 0x0110 : 0x0120, 2);
      return put_filler(out, whole ? 8 : 6, random);
    }
    default: return put_filler(out, 4, random);
  }
}

// Before an Ethernet header.
void put_isl(std::vector<uint8_t>& out, Random& random) {
  put(out, random.pick<uint64_t>({0x01000c0000, 0x0c000c0000}), 5);
  put(out, random.percent(5) ? 0x10 : random.below(16), 1);
  put_filler(out, 6, random);
  put(out, random.pick({1, 60, 1500}), 2);
  put(out, 0xaaaa03, 3);
  put_filler(out, 3, random);
  put(out, random.bits() & 0xffff, 2);
  put_filler(out, 4, random);
}

void put_nsh(std::vector<uint8_t>& out, uint64_t next, Random& random) {
  const uint64_t words = random.percent(5) ? 1 : random.pick({2, 2, 6});
  put(out, words, 2);
  put(out, 1, 1);
  put(out, next, 1);
  put_filler(out, std::max<uint64_t>(words, 2) * 4 - 4, random);
}

// What holds Ethernet, or IP in a way of its own.
void put_long_announcement(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  switch (random.below(5)) {
    case 0: put(out, 0x894f, 2); return put_nsh(out, packet.ip6 ? 2 : 1, random);
    case 1:
      put(out, 0x894f, 2);
      if (random.percent(50)) put_nsh(out, 4, random);
      put_nsh(out, 3, random);
      break;
    case 2:
      put(out, 0x88e7, 2);
      put_filler(out, 4, random);
      break;
    case 3:
      put(out, 0x8903, 2);
      put_filler(out, 2, random);
      break;
    default:  // MPLS pseudo-wire without a control word
      put(out, 0x8847, 2);
      put(out, 0x00020140, 4);
      put(out, random.pick<uint64_t>({0x020000000001, 0x420000000001, 0x620000000001, 0x120000000001}), 6);
      put(out, 0x020000000002, 6);
      return put(out, packet.ethertype(), 2);
  }
  if (random.percent(10)) put_isl(out, random);
  put_mac_addresses(out, random);
  put_tags(out, random.pick<uint16_t>({0, 0, 0, 11}), random);
  put(out, packet.ethertype(), 2);
}

}  // namespace

void put_tags(std::vector<uint8_t>& out, uint16_t vlan, Random& random) {
  while (random.percent(6)) put_other_tag(out, random);
  if (random.percent(12)) vlan = random.pick<uint16_t>({0, 1, 2, 4095});
  if (vlan == 0 && !random.percent(5)) return;
  put(out, random.pick({0x8100, 0x8100, 0x88a8, 0x8200, 0x9100, 0x9200, 0x9300}), 2);
  put(out, vlan | random.pick({0, 0x2000, 0xf000}), 2);
  for (uint64_t more = random.pick({0, 0, 0, 1, 2, 6}); more > 0; --more) {
    put(out, 0x8100, 2);
    put(out, random.below(8), 2);
  }
}

void put_snap(std::vector<uint8_t>& out, const Announced& packet) {
  put(out, packet.length % 16 == 15 ? 0xaaaa030000f8 : 0xaaaa03000000, 6);
  put(out, packet.ethertype(), 2);
}

void put_ppp(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  if (random.percent(50)) put(out, 0xff03, 2);
  while (random.percent(12)) {  // multilink: a whole packet in a fragment, behind 4 bytes or 2
    if (random.percent(50)) put(out, 0x3d, 1);
    else put(out, 0x003d, 2);
    put(out, random.percent(8) ? 0x80 : random.pick({0xc0, 0xff}), 1);
    put_filler(out, random.pick({1, 3}), random);
    if (random.percent(30)) put(out, 0xff03, 2);
  }
  if (random.percent(50)) put(out, packet.ip6 ? 0x57 : 0x21, 1);
  else put(out, packet.ip6 ? 0x0057 : 0x0021, 2);
}

void put_announcement(std::vector<uint8_t>& out, const Announced& packet, uint64_t way, Random& random) {
  if (way < 2) {  // LLC/SNAP
    put(out, std::min<uint32_t>(packet.length + 8, 1500), 2);
    put_snap(out, packet);
  } else if (way < 3) {  // MPLS, two labels
    put(out, 0x8847, 2);
    put(out, 0x00010040, 4);
    put(out, 0x00020140, 4);
  } else if (way < 4) {  // MPLS pseudo-wire
    put(out, 0x8848, 2);
    put(out, 0x00020140, 4);
    put(out, 0, 4);
    put_mac_addresses(out, random);
    put(out, packet.ethertype(), 2);
  } else if (way < 5) {  // PPPoE
    put(out, 0x8864, 2);
    put(out, 0x110000010000 | (packet.length & 0xffff), 6);
    put_ppp(out, packet, random);
  } else if (way < 6 && !packet.ip6) {  // IP directly over LLC
    put(out, std::min<uint32_t>(packet.length + 3, 1500), 2);
    put(out, 0x060603, 3);
  } else if (random.percent(12)) {
    put_long_announcement(out, packet, random);
  } else {
    put(out, packet.ethertype(), 2);
  }
}

void put_ethernet(std::vector<uint8_t>& out, const Announced& packet, uint16_t vlan, Random& random) {
  if (random.percent(2)) put_isl(out, random);
  put_mac_addresses(out, random);
  put_tags(out, vlan, random);
  put_announcement(out, packet, random.below(100), random);
}

void put_inner_ethernet(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  put_mac_addresses(out, random);
  put_tags(out, random.pick<uint16_t>({0, 0, 0, 7, 4095}), random);
  put_announcement(out, packet, random.below(12), random);
}

void put_filler(std::vector<uint8_t>& out, uint64_t count, Random& random) {
  const bool zeros = random.percent(50);
  while (count-- > 0) put(out, zeros ? 0 : random.bits() & 0xff, 1);
}

}  // namespace reference
