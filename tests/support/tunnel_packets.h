// Packets in tunnels of every kind, each with all its optional fields.
#pragma once

#include <vector>

#include "support/link_frames.h"

namespace warpmeter::test {

// What stands between the outer IP header and a packet.
struct Tunnel {
  const char* name;
  std::uint8_t protocol;
  Bytes header;
};

inline Bytes udp_tunnel(std::uint16_t port, const Bytes& header) { return udp(50000, port, header); }

// For a packet of this version: `ip6`.
inline std::vector<Tunnel> tunnels(bool ip6) {
  const std::uint16_t type = ip6 ? 0x86dd : 0x0800;
  const Bytes bridged = ethernet(0x8100, vlan_tag(5, type)), ppp = ppp_header(ip6 ? 0x57 : 0x21);
  const Bytes words = Bytes(12);  // checksum, key and sequence number of GRE
  const Bytes gtp = Bytes{0x37, 255} + Bytes(6) + Bytes{0, 0, 0, 0x85, 1, 0, 0, 0xc0} + Bytes{2} + Bytes(6) + Bytes{0};
  const Bytes teredo = Bytes{0, 1, 2, 3} + Bytes(2 + 3 + 9) + Bytes(8);
  const Bytes pseudo_wire = mpls_label(true) + Bytes(4) + bridged;
  const Bytes nsh = Bytes{0x0f, 0xc2, 1, static_cast<std::uint8_t>(ip6 ? 2 : 1), 0, 0, 0, 0};
  const Bytes wlan = Bytes{0x88, 0} + Bytes(24) + snap(type), swapped = Bytes{0, 0x88} + Bytes(24) + snap(type);
  const auto gre = [](std::uint16_t flags, std::uint16_t kind) { return ByteWriter().u16(flags).u16(kind).data(); };
  std::vector<Tunnel> all = {
      {"IP in IP", static_cast<std::uint8_t>(ip6 ? 41 : 4), {}},
      {"GRE", 47, gre(0, type)},
      {"GRE, all fields", 47, gre(0xb000, type) + words},
      {"GRE around MPLS", 47, gre(0x2000, 0x8847) + Bytes(4) + mpls_label(true)},
      {"NVGRE", 47, gre(0x2000, 0x6558) + Bytes(4) + bridged},
      {"ERSPAN I", 47, gre(0, 0x88be) + bridged},
      {"ERSPAN II", 47, gre(0x1000, 0x88be) + Bytes(4 + 8) + bridged},
      {"ERSPAN III", 47, gre(0x1000, 0x22eb) + Bytes(4 + 12) + bridged},
      {"ERSPAN III, subheader", 47, gre(0x1000, 0x22eb) + Bytes(4 + 11) + Bytes{1} + Bytes(8) + bridged},
      {"PPTP", 47, gre(0x3081, 0x880b) + words + ppp},
      {"GRE around PPP", 47, gre(0, 0x880b) + ppp},
      {"GRE of an access point", 47, gre(0x1000, 0x8210) + Bytes(4) + wlan},
      {"EoIP", 47, gre(0x2001, 0x6400) + Bytes(4) + bridged},
      {"EtherIP", 97, Bytes{0x30, 0} + bridged},
      {"MPLS in IP", 137, mpls_label(true)},
      {"MPLS in IP, pseudo-wire", 137, mpls_label(false) + pseudo_wire},
      {"Ethernet in IP", 143, bridged},
      {"VXLAN-GPE", 17, udp_tunnel(4790, Bytes{8} + Bytes(7) + bridged)},
      {"VXLAN-GPE around NSH", 17, udp_tunnel(4790, Bytes{12, 0, 0, 4} + Bytes(4) + nsh)},
      {"TZSP", 17, udp_tunnel(37008, Bytes{1, 1, 0, 1, 0, 10, 2, 7, 7, 0, 1} + bridged)},
      {"TZSP around 802.11", 17, udp_tunnel(37008, Bytes{1, 0, 0, 18, 1} + wlan)},
      {"CAPWAP", 17, udp_tunnel(5247, Bytes{0, 0x20, 0x02, 0} + Bytes(12) + bridged)},
      {"CAPWAP around 802.11", 17, udp_tunnel(5247, Bytes{0, 0x10, 0x03, 0} + Bytes(4) + wlan)},
      {"CAPWAP around 802.11, swapped", 17, udp_tunnel(5247, Bytes{0, 0x10, 0x03, 0} + Bytes(4) + swapped)},
      {"GRE in UDP", 17, udp_tunnel(4754, gre(0x2000, type) + Bytes(4))},
      {"MPLS in UDP", 17, udp_tunnel(6635, pseudo_wire)},
      {"LISP", 17, udp_tunnel(4341, Bytes(8))},
      {"VXLAN", 17, udp_tunnel(4789, Bytes{8} + Bytes(7) + bridged)},
      {"Geneve, options", 17, udp_tunnel(6081, Bytes{3, 0, 0x65, 0x58} + Bytes(4 + 12) + bridged)},
      {"Geneve around IP", 17, udp_tunnel(6081, Bytes{0, 0} + ByteWriter().u16(type).zeros(4).data())},
      {"GTP-U", 17, udp_tunnel(2152, Bytes{0x30, 255} + Bytes(6))},
      {"GTP-U, extensions", 17, udp_tunnel(2152, gtp)},
      {"L2TP", 17, udp_tunnel(1701, Bytes{0, 2} + Bytes(4) + ppp)},
      {"L2TP, all fields", 17, udp_tunnel(1701, Bytes{0x4a, 2} + Bytes(2 + 4 + 4) + Bytes{0, 3} + Bytes(3) + ppp)},
  };
  if (!ip6) all.push_back({"WCCP", 47, gre(0, 0x883e) + Bytes{0, 0xff, 0, 1}});
  if (ip6) all.push_back({"Teredo, authentication and origin", 17, udp_tunnel(3544, teredo)});
  return all;
}

inline bool is_ip6(const Bytes& packet) { return packet[0] >> 4 == 6; }

inline Bytes in_tunnel(const Tunnel& tunnel, const Bytes& packet, bool outer_ip6) {
  const Bytes payload = tunnel.header + packet;
  return outer_ip6 ? ip6({.next = tunnel.protocol}, payload) : ip4({.protocol = tunnel.protocol}, payload);
}

// `depth` tunnels around a packet, another kind each time, in Ethernet.
inline NamedFrame nested_frame(Bytes packet, std::size_t depth, std::size_t first_kind) {
  for (std::size_t i = 0; i < depth; ++i) {
    const auto kinds = tunnels(is_ip6(packet));
    packet = in_tunnel(kinds[(first_kind + 5 * i) % kinds.size()], packet, i % 3 == 1);
  }
  return {std::to_string(depth) + " tunnels from kind " + std::to_string(first_kind), 1,
          ethernet(is_ip6(packet) ? 0x86dd : 0x0800, packet)};
}

inline std::vector<NamedFrame> tunnel_frames(const Bytes& p4, const Bytes& p6) {
  std::vector<NamedFrame> frames;
  for (const Bytes& packet : {p4, p6}) {
    for (const Tunnel& tunnel : tunnels(is_ip6(packet)))
      frames.push_back({tunnel.name, 1, ethernet(0x0800, in_tunnel(tunnel, packet, false))});
  }
  return frames;
}

}  // namespace warpmeter::test
