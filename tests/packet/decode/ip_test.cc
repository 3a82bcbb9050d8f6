// IPv4 headers: lengths, fragments, damage, and what was captured of them (section 3 of the definitions).
#include "packet/decode/ip.h"

#include <gtest/gtest.h>

#include "support/held_frame.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

IpPacket read_sound(const HeldFrame& held, std::uint32_t offset = 0) {
  IpPacket p{};
  Ignored why{};
  EXPECT_TRUE(read_ip(held.frame(), 4, offset, p, why)) << kIgnoredNames[static_cast<int>(why)];
  return p;
}

void expect_ignored(const HeldFrame& held, Ignored expected) {
  IpPacket p{};
  Ignored why{};
  EXPECT_FALSE(read_ip(held.frame(), 4, 0, p, why));
  EXPECT_EQ(why, expected) << kIgnoredNames[static_cast<int>(why)];
}

TEST(Ip4, FieldsOfTheHeader) {
  const HeldFrame held(ip4({.protocol = 17, .id = 0xabcd, .fragment = 0x6123}, Bytes(30)));
  const IpPacket p = read_sound(held);
  EXPECT_EQ(p.version, 4);
  EXPECT_EQ(p.protocol, 17);
  EXPECT_EQ(p.id, 0xabcd);
  EXPECT_EQ(p.fragment_offset, 0x0123);
  EXPECT_EQ(Bytes(p.source, p.source + 4), (Bytes{10, 0, 0, 1}));
  EXPECT_EQ(Bytes(p.destination, p.destination + 4), (Bytes{10, 0, 0, 2}));
  EXPECT_EQ(p.length, 50u);
  EXPECT_EQ(p.payload_length, 30u);
  EXPECT_EQ(p.available, 30u);
  EXPECT_EQ(p.payload, held.frame().data + 20);
}

TEST(Ip4, OptionsBelongToTheHeader) {
  const HeldFrame held(ip4({.options = Bytes(40)}, Bytes(5)));
  const IpPacket p = read_sound(held);
  EXPECT_EQ(p.length, 65u);
  EXPECT_EQ(p.payload_length, 5u);
  EXPECT_EQ(p.payload, held.frame().data + 60);
}

TEST(Ip4, LengthIsThatOfTheHeaderHoweverLittleWasCaptured) {
  const HeldFrame held = HeldFrame::cut(ip4({.length = 1500}, Bytes(1480)), 50);
  const IpPacket p = read_sound(held);
  EXPECT_EQ(p.length, 1500u);
  EXPECT_EQ(p.payload_length, 1480u);
  EXPECT_EQ(p.available, 30u);
}

TEST(Ip4, PaddingBehindThePacketIsNoPayload) {
  const HeldFrame held(ip4({}, Bytes(6)) + Bytes(20));
  const IpPacket p = read_sound(held);
  EXPECT_EQ(p.length, 26u);
  EXPECT_EQ(p.available, 6u);
}

TEST(Ip4, LengthZeroMeansTheFrame) {
  const Bytes whole = Bytes(14) + ip4({.length = 0}, Bytes(70'000));
  const HeldFrame held = HeldFrame::cut(whole, 54);
  const IpPacket p = read_sound(held, 14);
  EXPECT_EQ(p.length, 70'020u);
  EXPECT_EQ(p.payload_length, 70'000u);
  EXPECT_EQ(p.available, 20u);
}

// The frame claims to have been shorter than what was captured of it.
TEST(Ip4, LengthZeroOfAFrameWithoutRoom) {
  HeldFrame held(ip4({.length = 0}, Bytes(30)));
  held.frame().original = 19;
  expect_ignored(held, Ignored::bad_ip_length);
  held.frame().original = 0;
  expect_ignored(held, Ignored::bad_ip_length);
}

TEST(Ip4, OtherVersionIsDamage) {
  Bytes bytes = ip4({}, Bytes(20));
  bytes[0] = 0x65;
  expect_ignored(HeldFrame(bytes), Ignored::bad_ip_version);
}

TEST(Ip4, HeaderBelow20BytesIsDamage) {
  Bytes bytes = ip4({}, Bytes(20));
  bytes[0] = 0x44;
  expect_ignored(HeldFrame(bytes), Ignored::bad_ip_header_length);
}

TEST(Ip4, TotalLengthBelowTheHeaderIsDamage) {
  expect_ignored(HeldFrame(ip4({.length = 19}, Bytes(20))), Ignored::bad_ip_length);
  expect_ignored(HeldFrame(ip4({.length = 23, .options = Bytes(4)}, Bytes(20))), Ignored::bad_ip_length);
}

TEST(Ip4, HeaderAloneIsAPacket) {
  const HeldFrame held(ip4({}, {}));
  EXPECT_EQ(read_sound(held).length, 20u);
  EXPECT_EQ(read_sound(held).available, 0u);
}

TEST(Ip4, EveryCutOfTheHeaderIsCutShort) {
  const Bytes whole = ip4({.options = Bytes(12)}, Bytes(8));
  for (std::size_t size = 0; size < 32; ++size) expect_ignored(HeldFrame::cut(whole, size), Ignored::cut_short);
  EXPECT_EQ(read_sound(HeldFrame::cut(whole, 32)).available, 0u);
}

TEST(Ip4, HeaderThatBeginsBeyondTheCapturedBytesIsCutShort) {
  const HeldFrame held = HeldFrame::cut(Bytes(100), 10);
  IpPacket p{};
  Ignored why{};
  EXPECT_FALSE(read_ip(held.frame(), 4, 60, p, why));
  EXPECT_EQ(why, Ignored::cut_short);
}

// Next header, length in words, and the rest.
Bytes authentication(std::uint8_t next, std::uint8_t words) { return Bytes{next, words} + Bytes(words * 4u + 6); }

TEST(Ip4, AuthenticationHeadersAreWalked) {
  const Bytes segment = tcp({}, Bytes(3));
  const IpPacket p = read_sound(HeldFrame(ip4({.protocol = 51}, authentication(6, 4) + segment)));
  EXPECT_EQ(p.protocol, 6);
  EXPECT_EQ(p.payload_length, segment.size());
  EXPECT_EQ(p.available, segment.size());
  EXPECT_EQ(p.length, 20 + 24 + segment.size());
  const Bytes two = authentication(51, 1) + authentication(17, 0) + Bytes(8);
  EXPECT_EQ(read_sound(HeldFrame(ip4({.protocol = 51}, two))).payload_length, 8u);
}

TEST(Ip4, AuthenticationHeaderStaysWhereItIsNotWhole) {
  const Bytes whole = ip4({.protocol = 51}, authentication(6, 4) + tcp({}));
  for (std::size_t captured = 20; captured < 20 + 24; ++captured) {
    const IpPacket p = read_sound(HeldFrame::cut(whole, captured));
    EXPECT_EQ(p.protocol, 51);
    EXPECT_EQ(p.payload_length, 24u + 20);
  }
  EXPECT_EQ(read_sound(HeldFrame(ip4({.protocol = 51}, authentication(6, 4)))).protocol, 6);  // ends with the packet
  EXPECT_EQ(read_sound(HeldFrame(ip4({.protocol = 51}, {6, 5}) + Bytes(100))).protocol, 51);  // lies behind it
  EXPECT_EQ(read_sound(HeldFrame(ip4({.protocol = 51, .fragment = 1}, authentication(6, 4) + tcp({})))).protocol, 51);
}

}  // namespace
}  // namespace warpmeter::test
