// From a frame to its IP header, through every layer that is decoded (section 3 of the definitions).
#include "decode/link_layer.h"

#include <gtest/gtest.h>

#include "support/held_frame.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

const Bytes kIp4 = ip4({}, tcp({}));
const Bytes kIp6 = ip6({}, tcp({}));

void expect_ip(const Bytes& bytes, std::uint16_t link, int version, std::uint32_t offset, std::uint16_t vlan = 0) {
  const IpPlace place = find_ip(HeldFrame(bytes, link).frame());
  EXPECT_EQ(place.version, version);
  EXPECT_EQ(place.offset, offset);
  EXPECT_EQ(place.vlan, vlan);
}

void expect_none(const Bytes& bytes, Ignored why, std::uint16_t link = kLinkEthernet) {
  const IpPlace place = find_ip(HeldFrame(bytes, link).frame());
  EXPECT_EQ(place.version, 0);
  EXPECT_EQ(place.why, why) << kIgnoredNames[static_cast<int>(place.why)];
}

TEST(LinkLayer, Ethernet) {
  expect_ip(ethernet(0x0800, kIp4), kLinkEthernet, 4, 14);
  expect_ip(ethernet(0x86dd, kIp6), kLinkEthernet, 6, 14);
}

TEST(LinkLayer, EveryVlanTagType) {
  for (const std::uint16_t type : std::initializer_list<std::uint16_t>{0x8100, 0x88a8, 0x9100, 0x9200, 0x9300}) {
    expect_ip(ethernet(type, vlan_tag(100, 0x0800) + kIp4), kLinkEthernet, 4, 18, 100);
  }
}

TEST(LinkLayer, OutermostVlanIdWithoutItsPriorityBits) {
  const Bytes tags = vlan_tag(0xefff, 0x8100) + vlan_tag(7, 0x86dd);
  expect_ip(ethernet(0x88a8, tags + kIp6), kLinkEthernet, 6, 22, 4095);
}

TEST(LinkLayer, PriorityTagHidesNoInnerId) {
  expect_ip(ethernet(0x8100, vlan_tag(0, 0x8100) + vlan_tag(7, 0x0800) + kIp4), kLinkEthernet, 4, 22, 0);
}

TEST(LinkLayer, FiftyStackedTags) {
  Bytes tags;
  for (int i = 0; i < 49; ++i) tags = tags + vlan_tag(static_cast<std::uint16_t>(i + 1), 0x8100);
  expect_ip(ethernet(0x8100, tags + vlan_tag(50, 0x0800) + kIp4), kLinkEthernet, 4, 14 + 200, 1);
}

TEST(LinkLayer, MplsStackTellsTheVersionByItsFirstBits) {
  expect_ip(ethernet(0x8847, mpls_label(true) + kIp4), kLinkEthernet, 4, 18);
  expect_ip(ethernet(0x8848, mpls_label(false) + mpls_label(false) + mpls_label(true) + kIp6), kLinkEthernet, 6, 26);
}

TEST(LinkLayer, MplsPseudoWireEthernet) {
  const Bytes control_word(4);
  const Bytes inner = ethernet(0x8100, vlan_tag(5, 0x0800) + kIp4);
  expect_ip(ethernet(0x8847, mpls_label(true) + control_word + inner), kLinkEthernet, 4, 14 + 4 + 4 + 18, 5);
}

TEST(LinkLayer, MplsWithSomethingElse) {
  expect_none(ethernet(0x8847, mpls_label(true) + Bytes{0x50, 0, 0, 0}), Ignored::not_ip);
}

TEST(LinkLayer, PppoeSession) {
  const Bytes session = {0x11, 0, 0, 1, 0, 42};
  expect_ip(ethernet(0x8864, session + Bytes{0x00, 0x21} + kIp4), kLinkEthernet, 4, 22);
  expect_ip(ethernet(0x8864, session + Bytes{0x00, 0x57} + kIp6), kLinkEthernet, 6, 22);
  expect_ip(ethernet(0x8864, session + Bytes{0x21} + kIp4), kLinkEthernet, 4, 21);
  expect_none(ethernet(0x8864, session + Bytes{0xc0, 0x21, 1, 1}), Ignored::not_ip);
}

TEST(LinkLayer, PppoeDiscoveryIsNotIp) { expect_none(ethernet(0x8863, {0x11, 9, 0, 0, 0, 0}), Ignored::not_ip); }

TEST(LinkLayer, LlcSnap) {
  const Bytes snap = {0xaa, 0xaa, 0x03, 0, 0, 0};
  expect_ip(ethernet(100, snap + Bytes{0x08, 0x00} + kIp4), kLinkEthernet, 4, 22);
  expect_ip(ethernet(1500, snap + Bytes{0x86, 0xdd} + kIp6), kLinkEthernet, 6, 22);
  expect_ip(ethernet(100, snap + Bytes{0x81, 0x00} + vlan_tag(9, 0x0800) + kIp4), kLinkEthernet, 4, 26, 9);
}

TEST(LinkLayer, LlcWithIpDirectly) { expect_ip(ethernet(100, Bytes{0x06, 0x06, 0x03} + kIp4), kLinkEthernet, 4, 17); }

TEST(LinkLayer, OtherFramesAreNotIp) {
  expect_none(ethernet(0x0806, Bytes(28)), Ignored::not_ip);
  expect_none(ethernet(0x88cc, Bytes(28)), Ignored::not_ip);
  expect_none(ethernet(60, Bytes{0x42, 0x42, 0x03} + Bytes(40)), Ignored::not_ip);
  expect_none(ethernet(1501, Bytes{0x06, 0x06, 0x03} + kIp4), Ignored::not_ip);
}

TEST(LinkLayer, CookedV1) {
  const auto cooked = [](std::uint16_t hardware, std::uint16_t type, const Bytes& rest) {
    return ByteWriter().u16(0).u16(hardware).u16(6).zeros(8).u16(type).bytes(rest).data();
  };
  expect_ip(cooked(1, 0x0800, kIp4), kLinkCooked, 4, 16);
  expect_ip(cooked(1, 0x8100, vlan_tag(3, 0x86dd) + kIp6), kLinkCooked, 6, 20, 3);
  expect_ip(cooked(1, 4, Bytes{0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00} + kIp4), kLinkCooked, 4, 24);
  expect_none(cooked(1, 1, kIp4), Ignored::not_ip, kLinkCooked);
  expect_none(cooked(824, 0x0800, kIp4), Ignored::not_ip, kLinkCooked);
}

TEST(LinkLayer, CookedV2) {
  const auto cooked = [](std::uint16_t hardware, std::uint16_t type, const Bytes& rest) {
    return ByteWriter().u16(type).u16(0).u32(2).u16(hardware).u8(0).u8(6).zeros(8).bytes(rest).data();
  };
  expect_ip(cooked(1, 0x0800, kIp4), kLinkCooked2, 4, 20);
  expect_ip(cooked(1, 0x86dd, kIp6), kLinkCooked2, 6, 20);
  expect_none(cooked(824, 0x0800, kIp4), Ignored::not_ip, kLinkCooked2);
}

TEST(LinkLayer, RawIpTellsItsVersion) {
  for (const std::uint16_t link : {kLinkRaw, kLinkRawBsd, kLinkRawOpenBsd}) {
    expect_ip(kIp4, link, 4, 0);
    expect_ip(kIp6, link, 6, 0);
    expect_none({0x50, 0, 0, 0}, Ignored::not_ip, link);
    expect_none({}, Ignored::cut_short, link);
  }
}

TEST(LinkLayer, LinksOfOneVersionLeaveTheTestToTheHeader) {
  expect_ip(kIp4, kLinkIpv4, 4, 0);
  expect_ip(kIp6, kLinkIpv6, 6, 0);
  expect_ip(kIp6, kLinkIpv4, 4, 0);
}

TEST(LinkLayer, UnknownLinkType) {
  expect_none(ethernet(0x0800, kIp4), Ignored::unknown_link_type, kUnknownLink);
  expect_none(ethernet(0x0800, kIp4), Ignored::unknown_link_type, 147);
}

// The layers that lie before the IP header, cut after each byte.
TEST(LinkLayer, HeadersNotCapturedWholeAreCutShort) {
  const Bytes label = mpls_label(true);
  const Bytes frames[] = {ethernet(0x8100, vlan_tag(1, 0x8100) + vlan_tag(2, 0x0800)),
                          ethernet(0x8847, mpls_label(false) + label), ethernet(0x8864, Bytes(6) + Bytes{0x00, 0x21})};
  for (const Bytes& whole : frames) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const IpPlace place = find_ip(HeldFrame::cut(whole, size).frame());
      EXPECT_EQ(place.version, 0) << size << " of " << whole.size();
      EXPECT_EQ(place.why, Ignored::cut_short) << size << " of " << whole.size();
    }
  }
}

}  // namespace
}  // namespace warpmeter::test
