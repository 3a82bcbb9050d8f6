// Old local networks and serial lines here, the others in files of their own.
#include "link_draft.h"

#include "put_bytes.h"

namespace reference {
namespace {

void put_llc(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  if (!packet.ip6 && random.percent(20)) put(out, 0x060603, 3);
  else put_snap(out, packet);
}

void put_token_ring(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  const bool source_routed = random.percent(40);
  put(out, random.bits(), 1);
  put(out, random.percent(5) ? 0x00 : 0x40, 1);
  put(out, 0x020000000001, 6);
  put(out, 0x020000000002 | (source_routed ? uint64_t{0x80} << 40 : 0), 6);
  if (source_routed) {
    const uint64_t size = random.pick({2, 6, 30});
    put(out, size | random.pick({0x00, 0xe0}), 1);
    put_filler(out, size - 1, random);
  }
  put_llc(out, packet, random);
}

void put_fddi(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  put(out, random.percent(5) ? 0x41 : 0x50 | random.below(8), 1);
  put_mac_addresses(out, random);
  put_llc(out, packet, random);
}

void put_arcnet(std::vector<uint8_t>& out, bool linux_header, const Announced& packet, Random& random) {
  put_filler(out, linux_header ? 4 : 2, random);
  if (!packet.ip6 && random.percent(30)) {
    put(out, 240, 1);
    return;
  }
  put(out, packet.ip6 ? 196 : 212, 1);
  if (!linux_header && random.percent(20)) {  // an exception frame
    put(out, 0xff, 1);
    put_filler(out, 3, random);
  }
  put(out, random.percent(10) ? random.below(4) : 0, 1);  // not 0: a part of a packet
  put_filler(out, 2, random);
}

void put_frame_relay(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  put(out, 0x1841, 2);
  const uint64_t way = random.below(10);
  if (way < 3) return put_announcement(out, packet, random.below(12), random);
  if (way < 4) {
    put(out, 0x6558, 2);
    return put_inner_ethernet(out, packet, random);
  }
  put(out, 0x03, 1);
  if (random.percent(30)) put(out, 0, 1);
  if (way < 8) return put(out, packet.ip6 ? 0x8e : 0xcc, 1);
  put(out, 0x80, 1);
  if (way < 9) {
    put(out, 0, 3);
    return put_announcement(out, packet, random.below(12), random);
  }
  put(out, random.pick({0x0080c20001, 0x0080c20007}), 5);
  put_inner_ethernet(out, packet, random);
}

void put_hdlc(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  put(out, random.pick({0x0f00, 0x8f00}), 2);
  put_announcement(out, packet, random.below(12), random);
}

void put_infiniband(std::vector<uint8_t>& out, const Announced& packet, Random& random) {
  put_filler(out, 40, random);
  std::vector<uint8_t> announcement;
  put_announcement(announcement, packet, random.below(12), random);
  announcement.insert(announcement.begin() + 2, 2, 0);
  put(out, announcement);
}

}  // namespace

void put_link_header(std::vector<uint8_t>& out, uint32_t link, const Announced& packet, Random& random) {
  switch (link) {
    case 12:
    case 14:
    case 101:
    case 228:
    case 229: return;
    case 1: return put_inner_ethernet(out, packet, random);
    case 6: return put_token_ring(out, packet, random);
    case 7: return put_arcnet(out, false, packet, random);
    case 8: return put_filler(out, 16, random);
    case 9:
    case 50: return random.percent(60) ? put_ppp(out, packet, random) : put_hdlc(out, packet, random);
    case 10: return put_fddi(out, packet, random);
    case 51: put(out, 0x110000010000 | (packet.length & 0xffff), 6); return put_ppp(out, packet, random);
    case 100: return put_llc(out, packet, random);
    case 104: return put_hdlc(out, packet, random);
    case 105:
    case 119:
    case 127:
    case 163: return put_wlan_link(out, link, packet, random);
    case 106: return random.percent(50) ? put_snap(out, packet) : void();
    case 107: return put_frame_relay(out, packet, random);
    case 129: return put_arcnet(out, true, packet, random);
    case 242: return put_infiniband(out, packet, random);
    default: return put_host_link(out, link, packet, random);
  }
}

}  // namespace reference
