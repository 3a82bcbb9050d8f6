// TCP in frames of every link type, with the optional fields that move what follows.
// Source of the formats: https://www.tcpdump.org/linktypes.html
#pragma once

#include <vector>

#include "support/named_frame.h"
#include "support/packets.h"

namespace warpmeter::test {

inline Bytes snap(std::uint16_t type) { return ByteWriter().u32(0xaaaa0300).u16(0).u16(type).data(); }

inline Bytes ppp_header(std::uint16_t protocol) { return ByteWriter().u16(0xff03).u16(protocol).data(); }

// Of a data frame: QoS and HT control, all four addresses.
inline Bytes wlan_header() { return ByteWriter().u16(0x8883).zeros(22 + 6 + 6).data(); }

inline Bytes radiotap_header() { return Bytes{0, 0, 12, 0} + Bytes(8); }

inline Bytes avs_header() { return ByteWriter().u32(0x80211001).u32(64).zeros(56).data(); }

inline Bytes ppi_header(std::uint32_t link) {
  return ByteWriter(std::endian::little).u16(0).u16(12).u32(link).zeros(4).data();
}

inline Bytes pktap_header(std::uint32_t link) {
  return ByteWriter(std::endian::little).u32(108).u32(1).u32(link).zeros(96).data();
}

// Two attributes, one of an odd size, before the packet.
inline Bytes nflog_header(std::uint8_t family, std::endian order) {
  ByteWriter w(order);
  w.u8(family).zeros(3).u16(8).u16(1).zeros(4).u16(5).u16(10).zeros(4).u16(100).u16(9);
  return w.data();
}

inline Bytes cooked_header(std::uint16_t type) { return ByteWriter().u16(0).u16(1).u16(6).zeros(8).u16(type).data(); }

inline Bytes cooked2_header(std::uint16_t type) {
  return ByteWriter().u16(type).zeros(2).u32(3).u16(1).u16(6).zeros(8).data();
}

// Frames of local networks and lines.
inline std::vector<NamedFrame> line_frames(const Bytes& p4, const Bytes& p6) {
  const Bytes tag = vlan_tag(7, 0x86dd), labels = mpls_label(false) + mpls_label(true);
  const Bytes routed = Bytes{0x10, 0x40} + Bytes(6) + Bytes{0x80} + Bytes(5) + Bytes{6, 0, 0, 0, 0, 0};
  return {{"Ethernet", 1, ethernet(0x0800, p4)},
          {"two VLAN tags", 1, ethernet(0x88a8, vlan_tag(9, 0x8100) + tag + p6)},
          {"MPLS", 1, ethernet(0x8847, labels + p6)},
          {"pseudo-wire", 1, ethernet(0x8847, labels + Bytes(4) + ethernet(0x0800, p4))},
          {"PPPoE in Ethernet", 1, ethernet(0x8864, Bytes(6) + Bytes{0x21} + p4)},
          {"802.3 and SNAP", 1, ethernet(100, snap(0x0800) + p4)},
          {"802.3 and LLC", 1, ethernet(100, Bytes{6, 6, 3} + p4)},
          {"token ring, source routed", 6, routed + snap(0x0800) + p4},
          {"SLIP", 8, Bytes(16) + p4},
          {"PPP", 9, ppp_header(0x57) + p6},
          {"MPLS in PPP", 9, ppp_header(0x281) + labels + p4},
          {"FDDI", 10, Bytes{0x50} + Bytes(12) + snap(0x86dd) + p6},
          {"raw, BSD", 12, p4},
          {"raw, OpenBSD", 14, p6},
          {"PPP in HDLC", 50, Bytes{0x21} + p4},
          {"Cisco HDLC under PPP's number", 50, Bytes{0x0f, 0, 0x08, 0} + p4},
          {"PPPoE", 51, Bytes(6) + ppp_header(0x21) + p4},
          {"LLC of ATM", 100, snap(0x0800) + p4},
          {"raw", 101, p6},
          {"Cisco HDLC", 104, Bytes{0x8f, 0, 0x86, 0xdd} + p6},
          {"classical IP over ATM", 106, snap(0x0800) + p4},
          {"classical IP over ATM, bare", 106, p6},
          {"frame relay", 107, Bytes{0x18, 0x41, 3, 0xcc} + p4},
          {"frame relay, Cisco", 107, Bytes{0x18, 0x41, 0x86, 0xdd} + p6},
          {"ARCNET, RFC 1051", 129, Bytes(4) + Bytes{240} + p4},
          {"ARCNET, RFC 1201", 129, Bytes(4) + Bytes{196, 0, 0, 0} + p6},
          {"IPv4", 228, p4},
          {"IPv6", 229, p6},
          {"InfiniBand", 242, Bytes(40) + Bytes{0x08, 0, 0, 0} + p4}};
}

// What drivers, systems and switches write.
inline std::vector<NamedFrame> host_frames(const Bytes& p4, const Bytes& p6) {
  const Bytes wlan4 = wlan_header() + snap(0x0800) + p4, ethernet6 = ethernet(0x8100, vlan_tag(5, 0x86dd) + p6);
  return {{"NULL, little", 0, Bytes{2, 0, 0, 0} + p4},
          {"NULL, big", 0, Bytes{0, 0, 0, 30} + p6},
          {"LOOP", 108, Bytes{0, 0, 0, 24} + p6},
          {"802.11", 105, wlan4},
          {"802.11, filled up", 105, wlan_header() + Bytes(2) + snap(0x86dd) + p6},
          {"cooked", 113, cooked_header(0x0800) + p4},
          {"cooked, LLC", 113, cooked_header(4) + snap(0x86dd) + p6},
          {"Prism", 119, Bytes(144) + wlan4},
          {"AVS under Prism's number", 119, avs_header() + wlan4},
          {"radiotap", 127, radiotap_header() + wlan4},
          {"AVS", 163, avs_header() + wlan4},
          {"Juniper, extensions", 178, Bytes{'M', 'G', 'C', 0x80, 0, 6} + Bytes(6) + ethernet6},
          {"Juniper", 178, Bytes{'M', 'G', 'C', 0} + ethernet6},
          {"PPI around 802.11", 192, ppi_header(105) + wlan4},
          {"PPI around PKTAP around Ethernet", 192, ppi_header(258) + pktap_header(1) + ethernet6},
          {"IPNET", 226, Bytes{1, 26} + Bytes(22) + p6},
          {"NFLOG, little", 239, nflog_header(2, std::endian::little) + p4},
          {"NFLOG, big", 239, nflog_header(10, std::endian::big) + p6},
          {"PKTAP around Ethernet", 258, pktap_header(1) + ethernet6},
          {"PKTAP around radiotap", 258, pktap_header(127) + radiotap_header() + wlan4},
          {"mPacket", 274, Bytes(7, 0x55) + Bytes{0xd5} + ethernet6},
          {"cooked 2", 276, cooked2_header(0x8100) + vlan_tag(3, 0x0800) + p4},
          {"Broadcom tag", 281, Bytes(16) + Bytes{0x08, 0} + p4},
          {"Broadcom tag before", 282, Bytes(4) + ethernet6},
          {"DSA tag", 284, Bytes(16) + Bytes{0x81, 0} + vlan_tag(3, 0x0800) + p4},
          {"EDSA tag", 285, Bytes(20) + Bytes{0x86, 0xdd} + p6}};
}

}  // namespace warpmeter::test
