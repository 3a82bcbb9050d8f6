// IPv6 headers and their extension headers (sections 3, 10.20 and 10.26 of the definitions).
#include <gtest/gtest.h>

#include "packet/decode/ip.h"
#include "support/held_frame.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

IpPacket read_sound(const HeldFrame& held, std::uint32_t offset = 0) {
  IpPacket p{};
  Ignored why{};
  EXPECT_TRUE(read_ip(held.frame(), 6, offset, p, why)) << kIgnoredNames[static_cast<int>(why)];
  return p;
}

void expect_ignored(const HeldFrame& held, Ignored expected) {
  IpPacket p{};
  Ignored why{};
  EXPECT_FALSE(read_ip(held.frame(), 6, 0, p, why));
  EXPECT_EQ(why, expected) << kIgnoredNames[static_cast<int>(why)];
}

// An extension header of `size` bytes that says `units` of its length.
Bytes extension(std::uint8_t next, std::uint8_t units, std::size_t size) {
  return Bytes{next, units} + Bytes(size - 2);
}

Bytes fragment_header(std::uint8_t next, std::uint16_t offset_and_more) {
  return ByteWriter().u8(next).u8(0).u16(offset_and_more).u32(0x01020304).data();
}

TEST(Ip6, FieldsOfTheHeader) {
  const HeldFrame held(ip6({.next = 17}, Bytes(30)));
  const IpPacket p = read_sound(held);
  EXPECT_EQ(p.version, 6);
  EXPECT_EQ(p.protocol, 17);
  EXPECT_EQ(p.id, 0);
  EXPECT_EQ(p.fragment_offset, 0);
  EXPECT_EQ(p.source, held.frame().data + 8);
  EXPECT_EQ(p.destination, held.frame().data + 24);
  EXPECT_EQ(p.length, 70u);
  EXPECT_EQ(p.payload_length, 30u);
  EXPECT_EQ(p.payload, held.frame().data + 40);
}

TEST(Ip6, PayloadLengthZeroMeansTheFrame) {
  const HeldFrame held = HeldFrame::cut(Bytes(14) + ip6({.payload_length = 0}, Bytes(100'000)), 94);
  const IpPacket p = read_sound(held, 14);
  EXPECT_EQ(p.length, 100'040u);
  EXPECT_EQ(p.payload_length, 100'000u);
  EXPECT_EQ(p.available, 40u);
}

TEST(Ip6, PayloadLengthZeroIsNothingButForTcp) {
  for (const std::uint8_t next : Bytes{17, 58, 59}) {
    const IpPacket p = read_sound(HeldFrame(ip6({.next = next, .payload_length = 0}, Bytes(30))));
    EXPECT_EQ(p.protocol, next);
    EXPECT_EQ(p.length, 40u);
    EXPECT_EQ(p.available, 0u);
  }
  const Bytes options{6, 0, 1, 4, 0, 0, 0, 0};
  EXPECT_EQ(read_sound(HeldFrame(ip6({.next = 60, .payload_length = 0}, options + tcp({})))).length, 68u);
  // A header alone, whatever its next header says: that one is not there.
  const Bytes later_fragment{17, 0, 0, 8, 0, 0, 0, 0};
  const IpPacket alone = read_sound(HeldFrame(ip6({.next = 44, .payload_length = 0}, later_fragment + Bytes(20))));
  EXPECT_EQ(alone.protocol, 44);
  EXPECT_EQ(alone.fragment_offset, 0);
  EXPECT_EQ(alone.payload_length, 0u);
}

TEST(Ip6, JumboPayloadOptionMeansTheFrame) {
  const auto length = [](const Bytes& options) {
    return read_sound(HeldFrame(ip6({.next = 0, .payload_length = 0}, options + Bytes(20)))).length;
  };
  EXPECT_EQ(length({17, 0, 0xc2, 4, 0, 0, 0, 28}), 68u);
  EXPECT_EQ(length({17, 1, 0, 1, 1, 9, 0xc2, 4, 0, 0, 0, 36, 0, 0, 0, 0}), 76u);
  EXPECT_EQ(length({17, 0, 0xc2, 3, 0, 0, 0, 28}), 40u);  // another length
  EXPECT_EQ(length({17, 0, 1, 4, 0xc2, 4, 0, 0}), 40u);   // within another option
  EXPECT_EQ(length({17, 0, 1, 0, 1, 0, 1, 0xc2}), 40u);   // cut off by the end of the header
}

TEST(Ip6, LongerThanTheHeaderCanSayMeansTheFrame) {
  const auto length = [](std::size_t behind) {
    return read_sound(HeldFrame(ip6({.next = 17, .payload_length = 0}, Bytes(behind)))).length;
  };
  EXPECT_EQ(length(65'535), 40u);
  EXPECT_EQ(length(65'536), 40u + 65'536);
}

TEST(Ip6, PaddingBehindThePacketIsNoPayload) {
  EXPECT_EQ(read_sound(HeldFrame(ip6({}, Bytes(6)) + Bytes(20))).available, 6u);
}

TEST(Ip6, EveryExtensionHeaderIsWalked) {
  for (const std::uint8_t type : Bytes{0, 43, 60, 135, 139, 140}) {
    const HeldFrame held(ip6({.next = type}, extension(6, 2, 24) + Bytes(20)));
    const IpPacket p = read_sound(held);
    EXPECT_EQ(p.protocol, 6) << int{type};
    EXPECT_EQ(p.payload, held.frame().data + 64) << int{type};
    EXPECT_EQ(p.payload_length, 20u) << int{type};
    EXPECT_EQ(p.length, 84u) << int{type};
  }
}

TEST(Ip6, AuthenticationHeaderCountsItsLengthInWords) {
  const HeldFrame held(ip6({.next = 51}, extension(6, 4, 24) + Bytes(20)));
  const IpPacket p = read_sound(held);
  EXPECT_EQ(p.protocol, 6);
  EXPECT_EQ(p.payload_length, 20u);
}

TEST(Ip6, OtherHeadersAreNotWalked) {
  for (const std::uint8_t type : Bytes{50, 59, 41, 253}) {
    EXPECT_EQ(read_sound(HeldFrame(ip6({type}, Bytes(8)))).protocol, type);
  }
}

TEST(Ip6, SeveralExtensionHeaders) {
  const Bytes chain = extension(60, 0, 8) + extension(44, 1, 16) + fragment_header(43, 0x0001) + extension(17, 0, 8);
  const IpPacket p = read_sound(HeldFrame(ip6({.next = 0}, chain + Bytes(12))));
  EXPECT_EQ(p.protocol, 17);
  EXPECT_EQ(p.fragment_offset, 0);
  EXPECT_EQ(p.payload_length, 12u);
}

TEST(Ip6, LaterFragmentHasNoFurtherHeaders) {
  const IpPacket p = read_sound(HeldFrame(ip6({.next = 44}, fragment_header(60, 0x0009) + Bytes(16))));
  EXPECT_EQ(p.protocol, 60);
  EXPECT_EQ(p.fragment_offset, 1);
  EXPECT_EQ(p.payload_length, 16u);
}

TEST(Ip6, LargestFragmentOffset) {
  EXPECT_EQ(read_sound(HeldFrame(ip6({.next = 44}, fragment_header(6, 0xfff8)))).fragment_offset, 0x1fff);
}

TEST(Ip6, OtherVersionIsDamage) {
  Bytes bytes = ip6({}, Bytes(20));
  bytes[0] = 0x45;
  expect_ignored(HeldFrame(bytes), Ignored::bad_ip_version);
}

TEST(Ip6, ExtensionHeaderBeyondThePacketIsDamage) {
  expect_ignored(HeldFrame(ip6({.next = 0, .payload_length = 15}, extension(6, 1, 16) + Bytes(8))),
                 Ignored::bad_ip_length);
}

TEST(Ip6, ExtensionHeaderThatEndsWithThePacketIsSound) {
  EXPECT_EQ(read_sound(HeldFrame(ip6({.next = 0}, extension(6, 1, 16)))).payload_length, 0u);
}

TEST(Ip6, EveryCutOfTheHeadersIsCutShort) {
  const Bytes whole = ip6({.next = 0}, extension(44, 1, 16) + fragment_header(51, 1) + extension(6, 4, 24) + Bytes(20));
  for (std::size_t size = 0; size < 88; ++size) {
    SCOPED_TRACE(size);
    expect_ignored(HeldFrame::cut(whole, size), Ignored::cut_short);
  }
  EXPECT_EQ(read_sound(HeldFrame::cut(whole, 88)).available, 0u);
  EXPECT_EQ(read_sound(HeldFrame::cut(whole, 90)).available, 2u);
}

TEST(Ip6, LongestExtensionHeaderNotCapturedIsCutShort) {
  const Bytes whole = ip6({.next = 60}, extension(6, 255, 2048) + Bytes(20));
  expect_ignored(HeldFrame::cut(whole, 40 + 2047), Ignored::cut_short);
}

}  // namespace
}  // namespace warpmeter::test
