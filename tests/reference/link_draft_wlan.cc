// 802.11: addresses, QoS and HT control as the frame has them, and a radio's report of any length.
#include "link_draft.h"
#include "put_bytes.h"

namespace reference {
namespace {

void put_wlan(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  const bool qos = random.percent(50), high_throughput = random.percent(15);
  const uint64_t stations = random.below(4), encrypted = random.percent(4);
  put(out, random.percent(4) ? random.pick({0x48, 0x80, 0xc8}) : qos ? 0x88 : 0x08, 1);
  put(out, stations | encrypted << 6 | (high_throughput ? 0x80 : 0), 1);
  put(out, 0x003c, 2);
  put_filler(out, 6 * 3 + 2, random);
  if (stations == 3) put_filler(out, 6, random);
  if (qos) put_filler(out, high_throughput ? 6 : 2, random);
  if (random.percent(20)) put_filler(out, 2, random);
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
