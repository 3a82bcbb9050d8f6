// 802.11 data frames, and the headers that drivers put before them.
#include "packet/decode/layers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "packet/decode/ip.h"
#include "packet/decode/ip_places.h"

namespace warpmeter::test {
namespace {

const Bytes kPacket = Bytes{0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00} + kIp4;

Bytes frame(std::uint8_t control, std::uint8_t flags, std::size_t header, const Bytes& body = kPacket) {
  return Bytes{control, flags} + Bytes(header - 2) + body;
}

TEST(Wlan, HeaderLengthByItsBits) {
  expect_ip(frame(0x08, 0x01, 24), kLinkWlan, 4, 32);
  expect_ip(frame(0x08, 0x03, 30), kLinkWlan, 4, 38);  // four addresses
  expect_ip(frame(0x88, 0x02, 26), kLinkWlan, 4, 34);  // quality of service
  expect_ip(frame(0x88, 0x03, 32), kLinkWlan, 4, 40);
  expect_ip(frame(0x88, 0x81, 30), kLinkWlan, 4, 38);  // and high-throughput control
  expect_ip(frame(0x08, 0x81, 24), kLinkWlan, 4, 32);  // which data frames without it do not have
}

TEST(Wlan, HeaderPaddedToFourBytes) { expect_ip(frame(0x88, 0x02, 28), kLinkWlan, 4, 36); }

TEST(Wlan, WhatIsNoDataInTheClear) {
  expect_none(frame(0x80, 0x00, 24), Ignored::not_ip, kLinkWlan);  // beacon
  expect_none(frame(0xd4, 0x00, 24), Ignored::not_ip, kLinkWlan);  // acknowledgement
  expect_none(frame(0x48, 0x01, 24), Ignored::not_ip, kLinkWlan);  // data without a body
  expect_none(frame(0x08, 0x41, 24), Ignored::not_ip, kLinkWlan);  // protected
  expect_none(frame(0x08, 0x01, 24, Bytes(30)), Ignored::not_ip, kLinkWlan);
  expect_none({0x08}, Ignored::cut_short, kLinkWlan);
}

TEST(Wlan, RadiotapLengthIsLittleEndian) {
  expect_ip(Bytes{0, 0, 12, 0} + Bytes(8) + frame(0x08, 1, 24), kLinkRadiotap, 4, 44);
  expect_none(Bytes{0, 0, 0, 12} + Bytes(8) + frame(0x08, 1, 24), Ignored::cut_short, kLinkRadiotap);
}

TEST(Wlan, AvsLengthIsBigEndian) {
  const Bytes header = Bytes{0x80, 0x21, 0x10, 0x01, 0, 0, 0, 64} + Bytes(56);
  expect_ip(header + frame(0x08, 1, 24), kLinkAvs, 4, 96);
  expect_ip(header + frame(0x08, 1, 24), kLinkPrism, 4, 96);
  expect_none(Bytes{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff} + Bytes(100), Ignored::cut_short, kLinkAvs);
}

TEST(Wlan, PrismHeaderHasItsSize) { expect_ip(Bytes(144) + frame(0x08, 1, 24), kLinkPrism, 4, 176); }

TEST(Wlan, InPerPacketInformation) {
  expect_ip(Bytes{0, 0, 32, 0, 105, 0, 0, 0} + Bytes(24) + frame(0x88, 1, 26), kLinkPpi, 4, 66);
}

TEST(Wlan, OtherVersionsAreNone) { expect_none(frame(0x09, 0x01, 24), Ignored::not_ip, kLinkWlan); }

TEST(Wlan, MeshControlOnlyWithItsBit) {
  const auto mesh = [](std::uint8_t control, std::uint8_t more_addresses) {
    return frame(0x88, 0x02, 24, Bytes{0, control, more_addresses} + Bytes(5 + 6 * more_addresses) + kPacket);
  };
  for (const std::uint8_t more : Bytes{0, 1, 2, 3}) expect_ip(mesh(1, more), kLinkWlan, 4, 26 + 6 + 6 * more + 8);
  expect_none(mesh(0, 1), Ignored::not_ip, kLinkWlan);
  expect_none(frame(0x88, 0x02, 24, {0, 1}), Ignored::cut_short, kLinkWlan);
  // Where LLC begins at once there is no mesh control, whatever the bit says.
  expect_ip(frame(0x88, 0x02, 24, Bytes{0, 1} + kPacket), kLinkWlan, 4, 34);
}

// MAC addresses, length, LLC.
Bytes msdu(const Bytes& llc, std::size_t length, bool padded = true) {
  Bytes made = ByteWriter().zeros(12).u16(length).bytes(llc).data();
  return padded ? made + Bytes((4 - made.size() % 4) % 4) : made;
}
Bytes msdu(const Bytes& llc) { return msdu(llc, llc.size()); }
Bytes msdus(const Bytes& body) { return frame(0x88, 0x02, 24, Bytes{0x80, 0} + body); }

// Offsets in the frame of IP headers; -1 where an MSDU has none.
std::vector<std::int64_t> found_in(const Bytes& bytes, std::size_t captured = ~std::size_t{0}) {
  const HeldFrame held = HeldFrame::cut(bytes, std::min(captured, bytes.size()), kLinkWlan);
  std::vector<std::int64_t> found;
  each_packet(held.frame(), find_ip(held.frame()), [&](const Frame& of, const IpPlace& place) {
    EXPECT_FALSE(place.several);
    found.push_back(place.version ? of.data - held.frame().data + place.offset : -1);
  });
  return found;
}
using Offsets = std::vector<std::int64_t>;

TEST(Amsdu, EveryMsduIsAFrame) {
  const Bytes one = msdu(kPacket), bad = msdu(Bytes(5)), last = msdu(kPacket, kPacket.size(), false);
  const auto size = static_cast<std::int64_t>(one.size()), bad_size = static_cast<std::int64_t>(bad.size());
  const std::int64_t first = 26 + 14 + 8;
  EXPECT_EQ(found_in(msdus(one + one + last)), (Offsets{first, first + size, first + 2 * size}));
  EXPECT_EQ(found_in(msdus(one + bad + one)), (Offsets{first, -1, first + size + bad_size}));
  EXPECT_EQ(found_in(msdus(Bytes(2) + one + one)), (Offsets{first + 2, first + 2 + size}));
}

// Or else all of them could hide behind a bad one.
TEST(Amsdu, TheFirstNeedNotBeIp) {
  const Bytes bad = msdu(Bytes(5)), one = msdu(kPacket);
  const auto second = static_cast<std::int64_t>(26 + bad.size() + 14 + 8);
  for (const std::size_t behind : {0u, 4u, 7u}) {
    EXPECT_EQ(found_in(msdus(bad + one + Bytes(behind))), (Offsets{-1, second})) << behind;
  }
  EXPECT_EQ(found_in(msdus(bad + one + Bytes(8))), Offsets{-1});        // lengths and frame differ: no A-MSDU
  EXPECT_EQ(found_in(msdus(bad + one), 26 + bad.size()), Offsets{-1});  // nor is that sure of what is cut
}

TEST(Amsdu, OneThatIsCutShortSaysSo) {
  const Bytes one = msdu(kPacket);
  const Bytes all = msdus(one + one);
  EXPECT_EQ(found_in(all, all.size() - one.size()).size(), 1u);
  EXPECT_EQ(found_in(all, all.size() - one.size() + 13).size(), 1u);
  const HeldFrame held = HeldFrame::cut(all, all.size() - one.size() + 20, kLinkWlan);
  std::vector<Ignored> why;
  each_packet(held.frame(), find_ip(held.frame()),
              [&](const Frame&, const IpPlace& place) { why.push_back(place.why); });
  EXPECT_EQ(why.size(), 2u);
  EXPECT_EQ(why.back(), Ignored::cut_short);
}

TEST(Amsdu, LengthOfAPacketThatSaysNoneIsThatOfItsMsdu) {
  const Bytes none = ip4({.length = 0}, Bytes(30));
  const Bytes llc = Bytes{0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00} + none;
  const HeldFrame held(msdus(msdu(llc) + msdu(kPacket)), kLinkWlan);
  std::vector<std::uint32_t> lengths;
  each_packet(held.frame(), find_ip(held.frame()), [&](const Frame& of, const IpPlace& place) {
    IpPacket packet;
    Ignored why;
    ASSERT_TRUE(read_ip(of, place.version, place.offset, packet, why));
    lengths.push_back(packet.length);
  });
  EXPECT_EQ(lengths, (std::vector<std::uint32_t>{50, static_cast<std::uint32_t>(kIp4.size())}));
}

}  // namespace
}  // namespace warpmeter::test
