// From an Ethernet frame to its IP header, through the layers that may lie between.
#include "packet/decode/layers.h"

#include <gtest/gtest.h>

#include <random>

#include "packet/decode/ip_places.h"

namespace warpmeter::test {
namespace {

TEST(Layers, Ethernet) {
  expect_ip(ethernet(0x0800, kIp4), kLinkEthernet, 4, 14);
  expect_ip(ethernet(0x86dd, kIp6), kLinkEthernet, 6, 14);
}

TEST(Layers, EveryVlanTagType) {
  for (const std::uint16_t type : std::initializer_list<std::uint16_t>{0x8100, 0x88a8, 0x9100, 0x9200, 0x9300}) {
    expect_ip(ethernet(type, vlan_tag(100, 0x0800) + kIp4), kLinkEthernet, 4, 18, 100);
  }
}

TEST(Layers, OutermostVlanIdWithoutItsPriorityBits) {
  const Bytes tags = vlan_tag(0xefff, 0x8100) + vlan_tag(7, 0x86dd);
  expect_ip(ethernet(0x88a8, tags + kIp6), kLinkEthernet, 6, 22, 4095);
}

// One tag, as most tagged captures have it, is not walked over.
TEST(Layers, OneTagIsFoundAsTheWalkFindsIt) {
  expect_ip(ethernet(0x8100, vlan_tag(0xefff, 0x0800) + kIp4), kLinkEthernet, 4, 18, 0xfff);
  std::mt19937 random(1);
  const Bytes frames[] = {ethernet(0x8100, vlan_tag(100, 0x0800) + kIp4), ethernet(0x8100, vlan_tag(0, 0x86dd) + kIp6),
                          ethernet(0x0800, kIp4)};
  for (int i = 0; i < 20'000; ++i) {
    Bytes bytes = frames[random() % 3];
    for (auto changes = random() % 3; changes > 0; --changes)
      bytes[12 + random() % 8] = static_cast<std::uint8_t>(random());
    const HeldFrame held = HeldFrame::cut(bytes, random() % 24, kLinkEthernet);
    const Frame& frame = held.frame();
    const IpPlace found = find_ip(frame);
    Walk walk = walk_in(frame);
    walk.type = frame.link;
    const IpPlace walked = descend(walk, Layer::link);
    ASSERT_EQ(found.version, walked.version);
    ASSERT_EQ(found.offset, walked.offset);
    ASSERT_EQ(found.vlan, walked.vlan);
    ASSERT_EQ(found.tagged, walked.tagged);
    ASSERT_EQ(found.why, walked.why);
  }
}

TEST(Layers, PriorityTagHidesNoInnerId) {
  expect_ip(ethernet(0x8100, vlan_tag(0, 0x8100) + vlan_tag(7, 0x0800) + kIp4), kLinkEthernet, 4, 22, 0);
}

TEST(Layers, FiftyStackedTags) {
  Bytes tags;
  for (int i = 0; i < 49; ++i) tags = tags + vlan_tag(static_cast<std::uint16_t>(i + 1), 0x8100);
  expect_ip(ethernet(0x8100, tags + vlan_tag(50, 0x0800) + kIp4), kLinkEthernet, 4, 14 + 200, 1);
}

TEST(Layers, MplsStackTellsTheVersionByItsFirstBits) {
  expect_ip(ethernet(0x8847, mpls_label(true) + kIp4), kLinkEthernet, 4, 18);
  expect_ip(ethernet(0x8848, mpls_label(false) + mpls_label(false) + mpls_label(true) + kIp6), kLinkEthernet, 6, 26);
}

TEST(Layers, MplsPseudoWireEthernet) {
  const Bytes control_word(4);
  const Bytes inner = ethernet(0x8100, vlan_tag(5, 0x0800) + kIp4);
  expect_ip(ethernet(0x8847, mpls_label(true) + control_word + inner), kLinkEthernet, 4, 14 + 4 + 4 + 18, 5);
}

TEST(Layers, MplsWithSomethingElse) {
  expect_none(ethernet(0x8847, mpls_label(true) + Bytes{0x50, 0, 0, 0}), Ignored::not_ip);
}

TEST(Layers, PppoeSession) {
  const Bytes session = {0x11, 0, 0, 1, 0, 42};
  expect_ip(ethernet(0x8864, session + Bytes{0x00, 0x21} + kIp4), kLinkEthernet, 4, 22);
  expect_ip(ethernet(0x8864, session + Bytes{0x00, 0x57} + kIp6), kLinkEthernet, 6, 22);
  expect_ip(ethernet(0x8864, session + Bytes{0x21} + kIp4), kLinkEthernet, 4, 21);
  expect_none(ethernet(0x8864, session + Bytes{0xc0, 0x21, 1, 1}), Ignored::not_ip);
}

TEST(Layers, PppoeDiscoveryIsNotIp) { expect_none(ethernet(0x8863, {0x11, 9, 0, 0, 0, 0}), Ignored::not_ip); }

TEST(Layers, LlcSnap) {
  const Bytes snap = {0xaa, 0xaa, 0x03, 0, 0, 0};
  expect_ip(ethernet(100, snap + Bytes{0x08, 0x00} + kIp4), kLinkEthernet, 4, 22);
  expect_ip(ethernet(1500, snap + Bytes{0x86, 0xdd} + kIp6), kLinkEthernet, 6, 22);
  expect_ip(ethernet(100, snap + Bytes{0x81, 0x00} + vlan_tag(9, 0x0800) + kIp4), kLinkEthernet, 4, 26, 9);
}

TEST(Layers, LlcWithIpDirectly) { expect_ip(ethernet(100, Bytes{0x06, 0x06, 0x03} + kIp4), kLinkEthernet, 4, 17); }

TEST(Layers, OtherFramesAreNotIp) {
  expect_none(ethernet(0x0806, Bytes(28)), Ignored::not_ip);
  expect_none(ethernet(0x88cc, Bytes(28)), Ignored::not_ip);
  expect_none(ethernet(60, Bytes{0x42, 0x42, 0x03} + Bytes(40)), Ignored::not_ip);
  expect_none(ethernet(1501, Bytes{0x06, 0x06, 0x03} + kIp4), Ignored::not_ip);
}

// The layers that lie before the IP header, cut after each byte.
TEST(Layers, HeadersNotCapturedWholeAreCutShort) {
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
