// The headers that capture files put before a frame, link type by link type.
#include "packet/decode/layers.h"

#include <gtest/gtest.h>

#include "packet/decode/ip_places.h"

namespace warpmeter::test {
namespace {

const Bytes kSnap4 = {0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00};

TEST(LinkHeaders, CookedV1) {
  const auto cooked = [](std::uint16_t hardware, std::uint16_t type, const Bytes& rest) {
    return ByteWriter().u16(0).u16(hardware).u16(6).zeros(8).u16(type).bytes(rest).data();
  };
  expect_ip(cooked(1, 0x0800, kIp4), kLinkCooked, 4, 16);
  expect_ip(cooked(1, 0x8100, vlan_tag(3, 0x86dd) + kIp6), kLinkCooked, 6, 20, 3);
  expect_ip(cooked(1, 4, Bytes{0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00} + kIp4), kLinkCooked, 4, 24);
  expect_none(cooked(1, 1, kIp4), Ignored::not_ip, kLinkCooked);
  expect_none(cooked(824, 0x0800, kIp4), Ignored::not_ip, kLinkCooked);
}

TEST(LinkHeaders, CookedV2) {
  const auto cooked = [](std::uint16_t hardware, std::uint16_t type, const Bytes& rest) {
    return ByteWriter().u16(type).u16(0).u32(2).u16(hardware).u8(0).u8(6).zeros(8).bytes(rest).data();
  };
  expect_ip(cooked(1, 0x0800, kIp4), kLinkCooked2, 4, 20);
  expect_ip(cooked(1, 0x86dd, kIp6), kLinkCooked2, 6, 20);
  expect_none(cooked(824, 0x0800, kIp4), Ignored::not_ip, kLinkCooked2);
}

TEST(LinkHeaders, RawIpTellsItsVersion) {
  for (const std::uint16_t link : {kLinkRaw, kLinkRawBsd, kLinkRawOpenBsd}) {
    expect_ip(kIp4, link, 4, 0);
    expect_ip(kIp6, link, 6, 0);
    expect_none({0x50, 0, 0, 0}, Ignored::not_ip, link);
    expect_none({}, Ignored::cut_short, link);
  }
}

TEST(LinkHeaders, LinksOfOneVersionLeaveTheTestToTheHeader) {
  expect_ip(kIp4, kLinkIpv4, 4, 0);
  expect_ip(kIp6, kLinkIpv6, 6, 0);
  expect_ip(kIp6, kLinkIpv4, 4, 0);
}

TEST(LinkHeaders, UnknownLinkType) {
  expect_none(ethernet(0x0800, kIp4), Ignored::unknown_link_type, kUnknownLink);
  expect_none(ethernet(0x0800, kIp4), Ignored::unknown_link_type, 147);
}

TEST(LinkHeaders, LoopbackFamiliesInBothByteOrders) {
  for (const std::uint16_t link : {kLinkNull, kLinkLoop}) {
    for (const std::endian order : {std::endian::big, std::endian::little}) {
      const auto family = [order](std::uint32_t number) { return ByteWriter(order).u32(number).data(); };
      expect_ip(family(2) + kIp4, link, 4, 4);
      for (const std::uint32_t number : {10, 24, 28, 30}) expect_ip(family(number) + kIp6, link, 6, 4);
      expect_none(family(7) + kIp4, Ignored::not_ip, link);
    }
    expect_none({0, 0, 2}, Ignored::cut_short, link);
  }
}

TEST(LinkHeaders, PppWithAndWithoutFraming) {
  for (const std::uint16_t link : {kLinkPpp, kLinkPppHdlc}) {
    expect_ip(Bytes{0xff, 0x03, 0x00, 0x21} + kIp4, link, 4, 4);
    expect_ip(Bytes{0x00, 0x57} + kIp6, link, 6, 2);
    expect_ip(Bytes{0x21} + kIp4, link, 4, 1);
    expect_ip(Bytes{0x00, 0x21} + kIp4, link, 4, 2);
    expect_ip(Bytes{0xff, 0x03, 0x02, 0x81} + mpls_label(true) + kIp6, link, 6, 8);
    expect_none({0xff, 0x03, 0xc0, 0x21, 1, 1}, Ignored::not_ip, link);
    expect_ip(Bytes{0x0f, 0x00, 0x08, 0x00} + kIp4, link, 4, 4);  // Cisco's framing
    expect_ip(Bytes{0x8f, 0x00, 0x86, 0xdd} + kIp6, link, 6, 4);
    expect_none({0x0f}, Ignored::cut_short, link);
  }
  expect_ip(Bytes{0x11, 0, 0, 1, 0, 42, 0x00, 0x21} + kIp4, kLinkPppEthernet, 4, 8);
}

TEST(LinkHeaders, CiscoHdlc) {
  expect_ip(Bytes{0x0f, 0, 0x08, 0x00} + kIp4, kLinkCiscoHdlc, 4, 4);
  expect_none(Bytes{0x8f, 0, 0x80, 0x35} + Bytes(20), Ignored::not_ip, kLinkCiscoHdlc);  // its keep-alives
}

TEST(LinkHeaders, FrameRelayBothEncapsulations) {
  expect_ip(Bytes{0x18, 0x41, 0x03, 0xcc} + kIp4, kLinkFrameRelay, 4, 4);
  expect_ip(Bytes{0x18, 0x41, 0x03, 0x8e} + kIp6, kLinkFrameRelay, 6, 4);
  expect_none(Bytes{0x18, 0x41, 0x03, 0x08} + kIp4, Ignored::not_ip, kLinkFrameRelay);
  expect_ip(Bytes{0x18, 0x41, 0x08, 0x00} + kIp4, kLinkFrameRelay, 4, 4);
}

TEST(LinkHeaders, SlipAndAtm) {
  expect_ip(Bytes(16) + kIp4, kLinkSlip, 4, 16);
  expect_ip(kSnap4 + kIp4, kLinkAtmLlc, 4, 8);
  expect_none(kIp4, Ignored::not_ip, kLinkAtmLlc);
  expect_ip(kSnap4 + kIp4, kLinkAtmClip, 4, 8);
  expect_ip(kIp6, kLinkAtmClip, 6, 0);
}

TEST(LinkHeaders, TokenRingWithSourceRouting) {
  const auto ring = [](std::uint8_t control, std::uint8_t source, const Bytes& rest) {
    return ByteWriter().u8(0x10).u8(control).zeros(6).u8(source).zeros(5).bytes(rest).data();
  };
  expect_ip(ring(0x40, 0, kSnap4 + kIp4), kLinkTokenRing, 4, 22);
  expect_ip(ring(0x40, 0x80, Bytes{0xc6, 0, 1, 2, 3, 4} + kSnap4 + kIp4), kLinkTokenRing, 4, 28);
  expect_none(ring(0x00, 0, kSnap4 + kIp4), Ignored::not_ip, kLinkTokenRing);
}

TEST(LinkHeaders, FddiArcnetInfinibandSolaris) {
  expect_ip(Bytes{0x57} + Bytes(12) + kSnap4 + kIp4, kLinkFddi, 4, 21);
  expect_none(Bytes{0x41} + Bytes(12) + kSnap4 + kIp4, Ignored::not_ip, kLinkFddi);
  expect_ip(Bytes{1, 2, 0, 0, 240} + kIp4, kLinkArcnetLinux, 4, 5);
  expect_ip(Bytes{1, 2, 0, 0, 212, 0, 0, 1} + kIp4, kLinkArcnetLinux, 4, 8);
  expect_ip(Bytes{1, 2, 0, 0, 196, 0, 0, 1} + kIp6, kLinkArcnetLinux, 6, 8);
  expect_none(Bytes{1, 2, 0, 0, 212, 1, 0, 1} + kIp4, Ignored::not_ip, kLinkArcnetLinux);
  expect_none(Bytes{1, 2, 0, 0, 213, 0, 0, 1} + kIp4, Ignored::not_ip, kLinkArcnetLinux);
  expect_ip(Bytes(40) + Bytes{0x08, 0x00, 0, 0} + kIp4, kLinkIpoib, 4, 44);
  expect_ip(Bytes{1, 2} + Bytes(22) + kIp4, kLinkIpnet, 4, 24);
  expect_ip(Bytes{1, 26} + Bytes(22) + kIp6, kLinkIpnet, 6, 24);
  expect_none(Bytes{1, 3} + Bytes(22) + kIp4, Ignored::not_ip, kLinkIpnet);
}

TEST(LinkHeaders, NetfilterLogFindsThePacketAmongTheAttributes) {
  for (const std::endian order : {std::endian::big, std::endian::little}) {
    const auto attribute = [order](std::uint16_t type, std::size_t size) {
      return ByteWriter(order).u16(4 + size).u16(type).zeros((size + 3) / 4 * 4).data();
    };
    const auto packet = [order](const Bytes& ip) { return ByteWriter(order).u16(4 + ip.size()).u16(9).data() + ip; };
    const Bytes before = attribute(1, 4) + attribute(10, 5) + attribute(0x8000 | 20, 1);
    expect_ip(Bytes{2, 0, 0, 0} + before + packet(kIp4), kLinkNflog, 4, 4 + 8 + 12 + 8 + 4);
    expect_ip(Bytes{10, 0, 0, 0} + packet(kIp6), kLinkNflog, 6, 8);
    expect_none(Bytes{2, 0, 0, 0} + before, Ignored::cut_short, kLinkNflog);
    expect_none(Bytes{2, 0, 0, 0} + ByteWriter(order).u16(3).u16(1).data(), Ignored::not_ip, kLinkNflog);
  }
  expect_none({7, 0, 0, 0}, Ignored::not_ip, kLinkNflog);
}

Bytes pktap(std::uint32_t length, std::uint32_t record, std::uint32_t link) {
  return ByteWriter(std::endian::little).u32(length).u32(record).u32(link).data();
}

Bytes ppi(std::uint16_t length, std::uint32_t link) {
  return ByteWriter(std::endian::little).u16(0).u16(length).u32(link).data();
}

TEST(LinkHeaders, LinksWithinLinks) {
  expect_ip(pktap(20, 1, 1) + Bytes(8) + ethernet(0x0800, kIp4), kLinkPktap, 4, 34);
  expect_ip(pktap(12, 1, 12) + kIp6, kLinkPktap, 6, 12);
  expect_ip(ppi(8, 1) + ethernet(0x86dd, kIp6), kLinkPpi, 6, 22);
  expect_ip(ppi(8, kLinkPktap) + pktap(12, 1, 101) + kIp4, kLinkPpi, 4, 20);
  expect_none(pktap(12, 2, 12) + kIp4, Ignored::not_ip, kLinkPktap);
  expect_none(pktap(12, 1, 147) + kIp4, Ignored::not_ip, kLinkPktap);
  expect_none(pktap(12, 1, kLinkPktap) + pktap(12, 1, 12) + kIp4, Ignored::not_ip, kLinkPktap);
  expect_none(ppi(8, kLinkPpi) + ppi(8, 12) + kIp4, Ignored::not_ip, kLinkPpi);
}

// A length of 0 makes no progress, and one of 4 GiB leads nowhere.
TEST(LinkHeaders, LinksWithinLinksThatLie) {
  expect_none(ppi(0, kLinkPktap) + kIp4, Ignored::not_ip, kLinkPpi);
  expect_none(pktap(0xffffffff, 1, 12) + kIp4, Ignored::cut_short, kLinkPktap);
  expect_none(pktap(0, 1, kLinkPpi) + kIp4, Ignored::not_ip, kLinkPktap);
}

TEST(LinkHeaders, JuniperEthernet) {
  const Bytes frame = ethernet(0x0800, kIp4);
  expect_ip(Bytes{'M', 'G', 'C', 0} + frame, kLinkJuniperEthernet, 4, 18);
  expect_ip(Bytes{'M', 'G', 'C', 0x80, 0, 3, 9, 9, 9} + frame, kLinkJuniperEthernet, 4, 23);
  expect_none(Bytes{'M', 'G', 'C', 2} + frame, Ignored::not_ip, kLinkJuniperEthernet);
  expect_none(Bytes{'M', 'G', 'D', 0} + frame, Ignored::not_ip, kLinkJuniperEthernet);
}

TEST(LinkHeaders, PreemptableEthernet) {
  for (const std::uint8_t start : std::initializer_list<std::uint8_t>{0xd5, 0xe6, 0x4c, 0x7f, 0xb3}) {
    expect_ip(Bytes(7) + Bytes{start} + ethernet(0x0800, kIp4), kLinkMpacket, 4, 22);
  }
  expect_none(Bytes(7) + Bytes{0x61} + ethernet(0x0800, kIp4), Ignored::not_ip, kLinkMpacket);
}

TEST(LinkHeaders, SwitchTags) {
  const Bytes type = {0x86, 0xdd};
  expect_ip(Bytes(16) + type + kIp6, kLinkBroadcomTag, 6, 18);
  expect_ip(Bytes(16) + type + kIp6, kLinkDsaTag, 6, 18);
  expect_ip(Bytes(20) + type + kIp6, kLinkEdsaTag, 6, 22);
  expect_ip(Bytes(4) + ethernet(0x8100, vlan_tag(7, 0x0800) + kIp4), kLinkBroadcomPrepended, 4, 22, 7);
}

}  // namespace
}  // namespace warpmeter::test
