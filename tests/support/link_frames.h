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

// A data frame of several MSDUs, each of which begins with LLC.
inline Bytes amsdu(const std::vector<Bytes>& msdus) {
  ByteWriter w;
  w.u16(0x8802).zeros(22).u16(0x8000);
  for (std::size_t i = 0; i < msdus.size(); ++i) {
    w.zeros(12).u16(static_cast<std::uint32_t>(msdus[i].size())).bytes(msdus[i]);
    if (i + 1 < msdus.size()) w.zeros((2 - msdus[i].size()) % 4);
  }
  return w.data();
}

inline Bytes radiotap_header() { return Bytes{0, 0, 12, 0} + Bytes(8); }

inline Bytes avs_header() { return ByteWriter().u32(0x80211001).u32(64).zeros(56).data(); }

inline Bytes ppi_header(std::uint32_t link) {
  return ByteWriter(std::endian::little).u16(0).u16(12).u32(link).zeros(4).data();
}

inline Bytes pktap_header(std::uint32_t link) {
  return ByteWriter(std::endian::little).u32(108).u32(1).u32(link).zeros(96).data();
}

inline Bytes isl_header() {
  return ByteWriter().u32(0x01000c00).u16(0).zeros(6).u16(60).zeros(6).u16(7 << 1).zeros(4).data();
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
  return {
      {"Ethernet", 1, ethernet(0x0800, p4)},
      {"two VLAN tags", 1, ethernet(0x88a8, vlan_tag(9, 0x8100) + tag + p6)},
      {"MPLS", 1, ethernet(0x8847, labels + p6)},
      {"pseudo-wire", 1, ethernet(0x8847, labels + Bytes(4) + ethernet(0x0800, p4))},
      {"PPPoE in Ethernet", 1, ethernet(0x8864, Bytes(6) + Bytes{0x21} + p4)},
      {"other tags", 1,
       ethernet(0x8926, Bytes(4) + Bytes{0x89, 0x3f} + Bytes(6) + Bytes{0x89, 0x2f} + Bytes(4) + Bytes{0xf1, 0xc1} +
                            Bytes(4) + Bytes{0x89, 0x09} + Bytes(6) + Bytes{0x82, 0x00, 0, 5, 8, 0} + p4)},
      {"MACsec in the clear", 1,
       ethernet(0x88e5, Bytes{0x20} + Bytes(13) + Bytes{0x88, 0xe5, 0} + Bytes(5) + Bytes{8, 0} + p4)},
      {"Arista's time stamps", 1,
       ethernet(0xd28b,
                Bytes{0, 1, 1, 0x10} + Bytes(8) + Bytes{0xd2, 0x8b, 0, 1, 1, 0x20} + Bytes(6) + Bytes{8, 0} + p4)},
      {"NSH", 1, ethernet(0x894f, Bytes{0, 2, 1, 4} + Bytes(4) + Bytes{0, 6, 1, 3} + Bytes(20) + ethernet(0x86dd, p6))},
      {"802.1ah and FabricPath", 1, ethernet(0x88e7, Bytes(4) + ethernet(0x8903, Bytes(2) + ethernet(0x0800, p4)))},
      {"ISL", 1, isl_header() + ethernet(0x0800, p4)},
      {"pseudo-wire without control word", 1, ethernet(0x8847, labels + Bytes{0x45} + Bytes(11) + Bytes{8, 0} + p4)},
      {"multilink PPP", 9, ppp_header(0x3d) + Bytes{0xc0, 0, 0, 1, 0x3d, 0xc0, 1, 0x21} + p4},
      {"Frame Relay, bridged", 107, Bytes{0x18, 0x41, 3, 0, 0x80, 0, 0x80, 0xc2, 0, 7} + ethernet(0x0800, p4)},
      {"Frame Relay, Cisco's bridged", 107, Bytes{0x18, 0x41, 0x65, 0x58} + ethernet(0x0800, p4)},
      {"Frame Relay, SNAP", 107, Bytes{0x18, 0x41, 3, 0x80, 0, 0, 0, 8, 0} + p4},
      {"ARCNET", 7, Bytes{1, 2, 212, 0, 0, 1} + p4},
      {"ARCNET, exception frame", 7, Bytes{1, 2, 196, 255, 255, 255, 255, 0, 0, 1} + p6},
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
          {"mesh", 105, ByteWriter().u16(0x8802).zeros(22).u16(0x0001).u8(1).zeros(11).data() + snap(0x0800) + p4},
          {"null, EtherType", 0, Bytes{0x0f, 0, 8, 0} + p4},
          {"ENC", 109, Bytes{0, 0, 0, 2} + Bytes(8) + p4},
          {"PFLOG", 117, Bytes{61, 30} + Bytes(62) + p6},
          {"ERF, Ethernet", 197,
           Bytes(8) + Bytes{0x82} + Bytes(7) + Bytes{0x81} + Bytes(7) + Bytes{1} + Bytes(9) + ethernet(0x0800, p4)},
          {"ERF, HDLC", 197, Bytes(8) + Bytes{1} + Bytes(7) + Bytes{0x0f, 0, 8, 0} + p4},
          {"ERF, IPv6", 197, Bytes(8) + Bytes{23} + Bytes(7) + p6},
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
