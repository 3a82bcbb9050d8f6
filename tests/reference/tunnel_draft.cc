// A tunnel's header, and the outer IP header to go with it.
#include "tunnel_draft.h"

#include <algorithm>
#include <utility>

#include "ether_draft.h"
#include "link_draft.h"
#include "put_bytes.h"

namespace reference {
namespace {

using Octets = std::vector<uint8_t>;

void put_gre(Octets& out, uint64_t kind, Random& random) {
  const uint64_t flags = random.pick({0, 0, 0x2000, 0x1000, 0x8000, 0x3000, 0xa000, 0x9000, 0xb000});
  const uint64_t wrong = random.percent(4) ? random.pick({0x4000, 0x0002, 0x0007}) : 0;
  put(out, flags | wrong, 2);
  put(out, kind, 2);
  for (uint64_t bit : {0x8000, 0x2000, 0x1000})
    if (flags & bit) put_filler(out, 4, random);
}

void put_gre_ip(Octets& out, const Announced& packet, Random& random) {
  Octets announcement;
  put_tags(announcement, 0, random);
  put_announcement(announcement, packet, random.below(16), random);
  put_gre(out, announcement[0] << 8 | announcement[1], random);
  out.insert(out.end(), announcement.begin() + 2, announcement.end());
}

void put_nvgre(Octets& out, const Announced& packet, Random& random) {
  put_gre(out, 0x6558, random);
  put_inner_ethernet(out, packet, random);
}

// Type I has no header of its own and no sequence number; type II has both.
void put_erspan(Octets& out, const Announced& packet, Random& random) {
  put_gre(out, 0x88be, random);
  if (out[0] & 0x10) put_filler(out, 8, random);
  put_inner_ethernet(out, packet, random);
}

void put_erspan3(Octets& out, const Announced& packet, Random& random) {
  const bool subheader = random.percent(50);
  put_gre(out, 0x22eb, random);
  put_filler(out, 11, random);
  put(out, (random.bits() & 0xfe) | subheader, 1);
  if (subheader) put_filler(out, 8, random);
  put_inner_ethernet(out, packet, random);
}

void put_pptp(Octets& out, const Announced& packet, Random& random) {
  const bool acknowledges = random.percent(50), numbered = !random.percent(6);
  put(out, 0x2001 | (numbered ? 0x1000 : 0) | (acknowledges ? 0x80 : 0), 2);
  put(out, random.percent(4) ? 0x0800 : 0x880b, 2);
  put_filler(out, 4u + 4 * numbered + 4 * acknowledges, random);
  put_ppp(out, packet, random);
}

void put_gre_ppp(Octets& out, const Announced& packet, Random& random) {
  put_gre(out, 0x880b, random);
  put_ppp(out, packet, random);
}

// Version 1 has no header before IP, version 2 has one of 4 bytes.
void put_wccp(Octets& out, Random& random) {
  put_gre(out, 0x883e, random);
  if (random.percent(50)) put(out, random.pick({0x00000000, 0x00ff0001, 0x60000000}), 4);
}

void put_aruba(Octets& out, const Announced& packet, Random& random) {
  put_gre(out, random.percent(8) ? random.pick({0x8201, 0x8380}) : random.pick({0x8200, 0x8210, 0x8370, 0x9000}),
          random);
  put_wlan_link(out, 105, packet, random);
}

void put_eoip(Octets& out, const Announced& packet, Random& random) {
  put(out, random.percent(5) ? random.pick({0x2000, 0x2002}) : 0x2001, 2);
  put(out, 0x6400, 2);
  put(out, packet.length & 0xffff, 2);
  put_filler(out, 2, random);
  put_inner_ethernet(out, packet, random);
}

// One label or three; IP, or an Ethernet pseudo-wire with its control word.
void put_labels(Octets& out, const Announced& packet, Random& random) {
  for (uint64_t more = random.pick({0, 0, 2}); more > 0; --more) put(out, 0x00010040, 4);
  put(out, 0x00020140, 4);
  if (random.percent(60)) return;
  put(out, 0, 4);
  put_inner_ethernet(out, packet, random);
}

void put_udp(Octets& out, uint16_t source, uint16_t destination, const Announced& packet) {
  put(out, source, 2);
  put(out, destination, 2);
  put(out, (packet.length + 16) & 0xffff, 2);
  put(out, 0, 2);
}

uint16_t port_of(const TunnelPorts& ports, const char* name, Random& random) {
  const std::vector<uint16_t>& list = ports.at(name);
  return list[random.below(list.size())];
}

// Tunnels known by the destination's port; now and then an answer's ports, which are none.
void put_udp_to(Octets& out, uint16_t port, const Announced& packet, Random& random) {
  const auto other = random.pick<uint16_t>({50000, 50000, 4789, 2152});
  if (random.percent(5)) put_udp(out, port, other, packet);
  else put_udp(out, other, port, packet);
}

// Tunnels known by the port of either side.
void put_udp_either(Octets& out, uint16_t port, const Announced& packet, Random& random) {
  const auto other = random.pick<uint16_t>({port, 40000, 4789});
  if (random.percent(50)) put_udp(out, port, other, packet);
  else put_udp(out, other, port, packet);
}

void put_vxlan(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  put_udp_to(out, port_of(ports, "vxlan", random), packet, random);
  put(out, random.percent(5) ? 0x00 : random.pick({0x08, 0x88}), 1);
  put_filler(out, 7, random);
  put_inner_ethernet(out, packet, random);
}

// An NSH header of two words or six, or one that is too short.
void put_gpe_nsh(Octets& out, uint64_t following, Random& random) {
  const uint64_t words = random.percent(5) ? 1 : random.pick({2, 6});
  put(out, 0x0fc0 | words, 2);
  put(out, 1, 1);
  put(out, following, 1);
  put_filler(out, std::max<uint64_t>(words, 2) * 4 - 4, random);
}

void put_gpe(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  const uint64_t what = random.percent(5) ? 6 : random.pick({packet.ip6 ? 2 : 1, 3, 4, 5}), ip = packet.ip6 ? 2 : 1;
  const bool tells = what != 3 || random.percent(50);
  put_udp_to(out, port_of(ports, "vxlan-gpe", random), packet, random);
  put(out, (random.percent(5) ? 0 : 0x08) | (tells ? 0x04 : 0), 1);
  put_filler(out, 2, random);
  put(out, tells ? what : random.pick({0, 1, 7}), 1);
  put_filler(out, 4, random);
  if (what == 3) put_inner_ethernet(out, packet, random);
  if (what == 4) put_gpe_nsh(out, ip, random);
  if (what == 5) put_labels(out, packet, random);
}

// Padding, fields with a length, the end; an encapsulation that nobody knows.
void put_tzsp(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  const uint64_t what = random.percent(5) ? 2 : random.pick({1, 1, 18, 119, 127});
  put_udp_to(out, port_of(ports, "tzsp", random), packet, random);
  put(out, random.percent(4) ? 2 : 1, 1);
  put(out, random.percent(4) ? random.pick({2, 4}) : random.below(2), 1);
  put(out, what, 2);
  for (uint64_t more = random.below(4); more > 0; --more) {
    const uint64_t size = random.pick({0, 1, 4, 200});
    put(out, random.percent(30) ? 0 : 10, 1);
    if (out.back() == 0) continue;
    put(out, size, 1);
    put_filler(out, size, random);
  }
  put(out, 1, 1);
  if (what == 1) put_inner_ethernet(out, packet, random);
  else put_wlan_link(out, what == 18 ? 105 : static_cast<uint32_t>(what), packet, random);
}

void put_capwap(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  const bool wireless = random.percent(60), fragment = random.percent(10), other_binding = random.percent(4);
  const uint64_t words = random.pick({2, 2, 4, 31}), binding = other_binding ? 3 : 1;
  put_udp_either(out, port_of(ports, "capwap", random), packet, random);
  put(out, random.percent(5) ? random.pick({1, 16}) : 0, 1);
  put(out, words << 19 | binding << 9 | (wireless ? 0x100 : 0) | (fragment ? 0x80 : 0) | random.pick({0, 0x30}), 3);
  put(out, random.bits() & 0xffff, 2);
  put(out, random.pick({0, 7, 8, 0xfff8}), 2);
  put_filler(out, words * 4 - 8, random);
  if (!wireless) return put_inner_ethernet(out, packet, random);
  const size_t at = out.size();
  put_wlan_link(out, 105, packet, random);
  if (random.percent(40)) std::swap(out[at], out[at + 1]);
}

void put_geneve(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  const uint64_t words = random.pick({0, 0, 1, 3, 63});
  Octets inside;
  if (random.percent(60)) {
    put(inside, 0x6558, 2);
    put_inner_ethernet(inside, packet, random);
  } else {
    put_announcement(inside, packet, random.below(16), random);
  }
  put_udp_to(out, port_of(ports, "geneve", random), packet, random);
  put(out, words | random.pick({0x00, 0xc0}), 1);
  put(out, random.pick({0, 0x40, 0x80}), 1);
  put(out, inside[0] << 8 | inside[1], 2);
  put_filler(out, 4 + words * 4, random);
  out.insert(out.end(), inside.begin() + 2, inside.end());
}

void put_gtp(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  const uint64_t flags = random.pick({0, 0, 1, 2, 3, 4, 5, 7});
  put_udp_either(out, port_of(ports, "gtp-u", random), packet, random);
  put(out, (random.percent(5) ? random.pick({0x20, 0x38, 0x50}) : 0x30) | flags, 1);
  put(out, random.percent(5) ? 1 : 255, 1);
  put(out, packet.length & 0xffff, 2);
  put_filler(out, 4, random);
  if (flags == 0) return;
  put_filler(out, 3, random);
  uint64_t extensions = flags & 4 ? random.below(4) : 0;
  put(out, extensions > 0 ? 0x85 : flags & 4 ? 0 : random.pick({0, 0x85}), 1);
  for (; extensions > 0; --extensions) {
    const uint64_t words = random.percent(4) ? 0 : random.pick({1, 1, 2, 10});
    put(out, words, 1);
    put_filler(out, std::max<uint64_t>(words, 1) * 4 - 2, random);
    put(out, extensions > 1 ? 0xc0 : 0, 1);
  }
}

void put_teredo(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  put_udp_either(out, port_of(ports, "teredo", random), packet, random);
  if (random.percent(40)) {  // authentication
    const uint64_t id = random.pick({0, 0, 3}), value = random.pick({0, 0, 16});
    put(out, 1, 2);
    put(out, id, 1);
    put(out, value, 1);
    put_filler(out, id + value + 9, random);
  }
  if (random.percent(40)) {  // origin
    put(out, 0, 2);
    put_filler(out, 6, random);
  }
}

void put_l2tp(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  const bool has_length = random.percent(50), numbered = random.percent(50), padded = random.percent(40);
  const uint64_t wrong = random.percent(5) ? random.pick({0x8000, 0x0001}) : 0;
  put_udp_either(out, port_of(ports, "l2tp", random), packet, random);
  put(out, (has_length ? 0x4002 : 0x0002) | (numbered ? 0x0800 : 0) | (padded ? 0x0200 : 0) | wrong, 2);
  if (has_length) put(out, packet.length & 0xffff, 2);
  put_filler(out, numbered ? 8 : 4, random);
  if (padded) {
    const uint64_t size = random.pick({0, 1, 6});
    put(out, size, 2);
    put_filler(out, size, random);
  }
  put_ppp(out, packet, random);
}

// A packet in GRE, behind its header or beginning with it.
void put_any_gre(Octets& out, const Announced& packet, Random& random) {
  switch (random.below(9)) {
    case 0: return put_nvgre(out, packet, random);
    case 1: return put_erspan(out, packet, random);
    case 2: return put_erspan3(out, packet, random);
    case 3: return put_pptp(out, packet, random);
    case 4: return put_gre_ppp(out, packet, random);
    case 5: return put_wccp(out, random);
    case 6: return put_aruba(out, packet, random);
    case 7: return put_eoip(out, packet, random);
    default: return put_gre_ip(out, packet, random);
  }
}

void put_udp_tunnel(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  switch (random.below(11)) {
    case 0: return put_vxlan(out, packet, ports, random);
    case 1: return put_gpe(out, packet, ports, random);
    case 2: return put_geneve(out, packet, ports, random);
    case 3: return put_gtp(out, packet, ports, random);
    case 4: return put_l2tp(out, packet, ports, random);
    case 5: return put_tzsp(out, packet, ports, random);
    case 6: return put_capwap(out, packet, ports, random);
    case 7: put_udp_to(out, port_of(ports, "gre-udp", random), packet, random); return put_any_gre(out, packet, random);
    case 8: put_udp_to(out, port_of(ports, "mpls-udp", random), packet, random); return put_labels(out, packet, random);
    case 9: put_udp_to(out, port_of(ports, "lisp", random), packet, random); return put_filler(out, 8, random);
    default: return put_teredo(out, packet, ports, random);  // which carries IPv6 alone
  }
}

// The header; -> the protocol that announces it.
uint8_t put_tunnel(Octets& out, const Announced& packet, const TunnelPorts& ports, Random& random) {
  constexpr uint8_t gre = 47, udp = 17, ether_ip = 97, mpls_in_ip = 137, ethernet = 143;
  switch (random.below(12)) {
    case 0:
    case 1:
    case 2: return put_any_gre(out, packet, random), gre;
    case 3: put(out, 0x3000, 2); return put_inner_ethernet(out, packet, random), ether_ip;
    case 4: return put_labels(out, packet, random), mpls_in_ip;
    case 5: return put_inner_ethernet(out, packet, random), ethernet;
    case 6:
    case 7: return packet.ip6 ? 41 : 4;
    default: return put_udp_tunnel(out, packet, ports, random), udp;
  }
}

}  // namespace

IpPacket in_tunnel(const IpPacket& packet, bool ip6, const TunnelPorts& ports, Random& random) {
  IpDraft outer;
  outer.ip6 = ip6;
  outer.source = {10, 9, 0, static_cast<uint8_t>(random.below(2))};
  outer.destination = {10, 9, 0, static_cast<uint8_t>(random.below(2))};
  outer.id = random.percent(20) ? 0 : static_cast<uint16_t>(random.bits());
  outer.protocol = put_tunnel(outer.payload, announced(packet), ports, random);
  outer.payload_length = static_cast<uint32_t>(outer.payload.size()) + packet.length;
  put(outer.payload, packet.bytes);
  if (!ip6 && random.percent(8)) outer.options.assign(random.pick({4u, 40u}), 1);
  if (ip6 && random.percent(15)) outer.extensions.push_back(random.pick<uint8_t>({0, 43, 44, 51, 60}));
  if (random.percent(3)) {
    outer.more_fragments = true;
    outer.fragment_offset = random.pick<uint16_t>({0, 0, 1});
    if (ip6) outer.extensions.push_back(44);
  }
  if (outer.payload_length > 65'000 || random.percent(2)) outer.length_zero = true;
  if (random.percent(2)) outer.payload_length -= static_cast<uint32_t>(random.below(outer.payload_length + 1));
  return to_bytes(outer, random);
}

}  // namespace reference
