// 802.11: addresses, QoS and HT control as the frame has them, and a radio's report of any length.
#include "link_draft.h"
#include "put_bytes.h"

namespace reference {
namespace {

constexpr uint64_t msdu_header = 14, snap = 8;

void put_msdu_header(std::vector<uint8_t>& out, uint64_t length, Random& random) {
  put_mac_addresses(out, random);
  put(out, length & 0xffff, 2);
}

// One of a small packet, or of what is none, filled up for the next one.
void put_msdu(std::vector<uint8_t>& out, Random& random) {
  const size_t begin = out.size();
  if (random.percent(20)) {
    const uint64_t length = random.below(40);
    put_msdu_header(out, length, random);
    put_filler(out, length, random);
  } else {
    const uint64_t payload = random.below(6);
    put_msdu_header(out, snap + 40 + payload, random);
    put(out, 0xaaaa030000000800, 8);
    put(out, 0x45000000 | (40 + payload), 4);
    put(out, random.bits() & 0xffff'4000, 4);
    put(out, 0x40060000, 4);
    put(out, 0x0a070001 + random.below(2), 4);
    put(out, 0x0a070001 + random.below(2), 4);
    put(out, 0x20002000 + random.below(2), 4);
    put(out, 1000 + random.below(20), 4);
    put(out, 0, 4);
    put(out, 0x50000100 | random.pick<uint64_t>({0x10, 0x18, 0x11, 0x02}) << 16, 4);
    put(out, 0, 4);
    put_filler(out, payload, random);
  }
  while ((out.size() - begin) % 4 != 0) put(out, 0, 1);
}

// Ends with the MSDU of the packet, behind which there may be a few bytes.
void put_msdus(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  for (uint64_t more = random.pick({0, 1, 1, 2, 5}); more > 0; --more) put_msdu(out, random);
  put_msdu_header(out, snap + packet.length, random);
}

void put_wlan(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  const bool qos = random.percent(60), high_throughput = random.percent(15);
  const bool several = qos && random.percent(50), mesh = qos && random.percent(20);
  const uint64_t stations = random.below(4), encrypted = random.percent(4);
  put(out, random.percent(4) ? random.pick({0x48, 0x80, 0xc8, 0x09}) : qos ? 0x88 : 0x08, 1);
  put(out, stations | encrypted << 6 | (high_throughput ? 0x80 : 0), 1);
  put(out, 0x003c, 2);
  put_filler(out, 6 * 3 + 2, random);
  if (stations == 3) put_filler(out, 6, random);
  if (qos) {
    put(out, several ? 0x85 : 0x05, 1);
    put(out, mesh ? 0x01 : 0x00, 1);
    put_filler(out, high_throughput ? 4 : 0, random);
  }
  if (random.percent(20)) put_filler(out, 2, random);
  if (mesh && random.percent(80)) {
    const uint64_t more_addresses = random.below(4);
    put(out, more_addresses, 1);
    put_filler(out, 5 + 6 * more_addresses, random);
  }
  if (several && random.percent(90)) put_msdus(out, packet, random);
  put_snap(out, packet);
}

void put_radiotap(std::vector<uint8_t>& out, Random& random) {
  const uint64_t size = random.pick({8, 13, 18, 36, 300});
  put(out, 0, 2);
  put_ordered(out, size, 2, true);
  put_ordered(out, 0x0000482f, 4, true);
  put_filler(out, size - 8, random);
}

void put_avs(std::vector<uint8_t>& out, Random& random) {
  const uint64_t size = random.pick({64, 80});
  put(out, random.pick({0x80211001, 0x80211002}), 4);
  put(out, size, 4);
  put_filler(out, size - 8, random);
}

void put_prism(std::vector<uint8_t>& out, Random& random) {
  const bool little = random.percent(50);
  put_ordered(out, 0x44, 4, little);
  put_ordered(out, 144, 4, little);
  put_filler(out, 144 - 8, random);
}

}  // namespace

void put_wlan_link(std::vector<uint8_t>& out, uint32_t link, const Announced& packet, Random& random) {
  if (link == 127) put_radiotap(out, random);
  if (link == 163 || (link == 119 && random.percent(40))) put_avs(out, random);
  else if (link == 119) put_prism(out, random);
  put_wlan(out, packet, random);
}

}  // namespace reference
