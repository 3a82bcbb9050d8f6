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

void put_tags(std::vector<uint8_t>& out, uint16_t vlan, Random& random) {
  if (random.percent(12)) vlan = random.pick<uint16_t>({0, 1, 2, 4095});
  if (vlan == 0 && !random.percent(5)) return;
  put(out, random.pick({0x8100, 0x8100, 0x88a8, 0x9100, 0x9200, 0x9300}), 2);
  put(out, vlan | random.pick({0, 0x2000, 0xf000}), 2);
  for (uint64_t more = random.pick({0, 0, 0, 1, 2, 6}); more > 0; --more) {
    put(out, 0x8100, 2);
    put(out, random.below(8), 2);
  }
}

void put_snap(std::vector<uint8_t>& out, const Announced& packet) {
  put(out, 0xaaaa03000000, 6);
  put(out, packet.ethertype(), 2);
}

void put_ppp(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  if (random.percent(50)) put(out, 0xff03, 2);
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
  } else {
    put(out, packet.ethertype(), 2);
  }
}

void put_ethernet(std::vector<uint8_t>& out, const Announced& packet, uint16_t vlan, Random& random) {
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
