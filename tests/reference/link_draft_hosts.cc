// Headers in the byte order of the machine that wrote them, and headers around other link types.
#include "link.h"
#include "link_draft.h"
#include "put_bytes.h"

namespace reference {
namespace {

uint32_t any_link(Random& random) { return known_links[random.below(known_links.size())]; }

uint64_t family_of(const Announced& packet, Random& random) {
  if (random.percent(3)) return 7;
  return packet.ip6 ? random.pick({10, 24, 28, 30}) : 2;
}

void put_null(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  if (random.percent(15)) {
    put(out, 0x0f00, 2);
    put_announcement(out, packet, random.below(12), random);
  } else {
    put_ordered(out, family_of(packet, random), 4, random.percent(50));
  }
}

void put_enc(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  put_ordered(out, family_of(packet, random), 4, random.percent(50));
  put_filler(out, 8, random);
}

// Filled up to 4 bytes, which its length does not tell.
void put_pflog(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  const uint64_t size = random.pick({61, 100, 69, 48});
  put(out, size, 1);
  put(out, family_of(packet, random), 1);
  put_filler(out, (size + 3) / 4 * 4 - 2, random);
}

void put_erf(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  const uint64_t kind = random.percent(5) ? 3 : random.pick({1, 2, 10, 11, 15, 16, 19, 20, 22, 23});
  uint64_t extensions = random.pick({0, 0, 1, 3});
  put_filler(out, 8, random);
  put(out, kind | (extensions ? 0x80 : 0), 1);
  put_filler(out, 7, random);
  for (; extensions > 0; --extensions) {
    put(out, extensions > 1 ? 0x81 : 0x01, 1);
    put_filler(out, 7, random);
  }
  if (kind >= 22) return;
  if (kind % 5 == 0 || kind == 1 || kind == 19) {
    if (kind != 20) return put_link_header(out, 50, packet, random);
  }
  put_filler(out, 2, random);
  put_inner_ethernet(out, packet, random);
}

void put_cooked(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  put(out, random.below(5), 2);
  put(out, random.percent(4) ? 824 : random.pick({1, 772, 512}), 2);
  put(out, 6, 2);
  put_filler(out, 8, random);
  if (random.percent(15)) {
    put(out, 4, 2);
    put_snap(out, packet);
  } else {
    put_tags(out, random.pick<uint16_t>({0, 0, 5}), random);
    put_announcement(out, packet, random.below(12), random);
  }
}

void put_cooked2(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  std::vector<uint8_t> announcement;
  if (random.percent(15)) {
    put(announcement, 4, 2);
    put_snap(announcement, packet);
  } else {
    put_tags(announcement, random.pick<uint16_t>({0, 0, 5}), random);
    put_announcement(announcement, packet, random.below(12), random);
  }
  put(out, announcement[0] << 8 | announcement[1], 2);
  put(out, 0, 2);
  put(out, 3, 4);
  put(out, random.percent(4) ? 824 : random.pick({1, 772, 512}), 2);
  put(out, 0x0006, 2);
  put_filler(out, 8, random);
  out.insert(out.end(), announcement.begin() + 2, announcement.end());
}

void put_ipnet(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  put(out, 1, 1);
  put(out, packet.ip6 ? 26 : 2, 1);
  put_filler(out, 22, random);
}

// Attributes are filled up to 4 bytes, which their length does not tell.
void put_nflog(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  const bool little = random.percent(50);
  put(out, packet.ip6 ? 10 : 2, 1);
  put(out, 0, 1);
  put(out, random.bits(), 2);
  for (uint64_t more = random.below(5); more > 0; --more) {
    const uint64_t size = random.pick({0, 1, 4, 5, 8, 70});
    put_ordered(out, size + 4, 2, little);
    put_ordered(out, random.pick({1, 2, 8, 10, 12, 0x8003}), 2, little);
    put_filler(out, (size + 3) / 4 * 4, random);
  }
  put_ordered(out, (packet.length + 4) & 0xffff, 2, little);
  put_ordered(out, random.percent(90) ? 9 : 0x8009, 2, little);
}

void put_pktap(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  const uint64_t size = random.pick({12, 108, 156});
  const uint32_t link = any_link(random);
  put_ordered(out, size, 4, true);
  put_ordered(out, random.percent(96), 4, true);
  put_ordered(out, link, 4, true);
  put_filler(out, size - 12, random);
  put_link_header(out, link, packet, random);
}

void put_ppi(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  const uint64_t size = random.pick({8, 32, 84});
  const uint32_t link = random.percent(40) ? 105 : any_link(random);
  put(out, 0, 2);
  put_ordered(out, size, 2, true);
  put_ordered(out, link, 4, true);
  put_filler(out, size - 8, random);
  put_link_header(out, link, packet, random);
}

void put_juniper(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  const bool extensions = random.percent(60), no_link_header = random.percent(4);
  put(out, 0x4d4743, 3);
  put(out, (extensions ? 0x80 : 0) | (no_link_header ? 2 : 0) | random.pick({0, 1}), 1);
  if (extensions) {
    const uint64_t size = random.pick({0, 6, 22});
    put(out, size, 2);
    put_filler(out, size, random);
  }
  put_inner_ethernet(out, packet, random);
}

void put_mpacket(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  put(out, 0x55555555555555, 7);
  put(out, random.pick({0xd5, 0xd5, 0xe6, 0x4c, 0x7f, 0xb3, 0x07, 0x61}), 1);
  put_inner_ethernet(out, packet, random);
}

// The tag of a switch, `size` bytes behind the addresses.
void put_tag_of_switch(std::vector<uint8_t>& out, uint64_t size, const Announced& packet, Random& random) {
  put_mac_addresses(out, random);
  put_filler(out, size, random);
  put_tags(out, random.pick<uint16_t>({0, 0, 9}), random);
  put_announcement(out, packet, random.below(12), random);
}

}  // namespace

void put_ordered(std::vector<uint8_t>& out, uint64_t value, int count, bool little) {
  if (!little) return put(out, value, count);
  for (int i = 0; i < count; ++i) put(out, value >> 8 * i & 0xff, 1);
}

void put_host_link(std::vector<uint8_t>& out, uint32_t link, const Announced& packet, Random& random) {
  switch (link) {
    case 109: return put_enc(out, packet, random);
    case 117: return put_pflog(out, packet, random);
    case 197: return put_erf(out, packet, random);
    case 113: return put_cooked(out, packet, random);
    case 178: return put_juniper(out, packet, random);
    case 192: return put_ppi(out, packet, random);
    case 226: return put_ipnet(out, packet, random);
    case 239: return put_nflog(out, packet, random);
    case 258: return put_pktap(out, packet, random);
    case 274: return put_mpacket(out, packet, random);
    case 276: return put_cooked2(out, packet, random);
    case 281:
    case 284: return put_tag_of_switch(out, 4, packet, random);
    case 282: put_filler(out, 4, random); return put_inner_ethernet(out, packet, random);
    case 285: return put_tag_of_switch(out, 8, packet, random);
    default: return put_null(out, packet, random);
  }
}

}  // namespace reference
