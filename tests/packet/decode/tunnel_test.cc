// Which packet in a packet is metered with --decapsulate.
#include "packet/decode/tunnel.h"

#include <gtest/gtest.h>

#include <vector>

#include "packet/decode/link_layer.h"
#include "support/held_frame.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

// The packet that lies within: its source port tells that it was found.
const Bytes kInner4 = ip4({.id = 77}, tcp({.source_port = 4444}));
const Bytes kInner6 = ip6({}, tcp({.source_port = 6666}));
const Bytes kFrame4 = ethernet(0x0800, kInner4);
const Bytes kFrame6 = ethernet(0x8100, vlan_tag(5, 0x86dd) + kInner6);

Bytes in_ip4(std::uint8_t protocol, const Bytes& payload) { return ip4({.protocol = protocol}, payload); }
Bytes in_udp(std::uint16_t source, std::uint16_t destination, const Bytes& payload) {
  return in_ip4(17, udp(source, destination, payload));
}

IpPacket innermost(const Frame& frame, const IpPacket& outer) {
  std::vector<IpPacket> found;
  const TunnelKinds kinds{TunnelPorts()};
  const auto closed = [](TunnelKind, Unopened) {};
  each_innermost(frame, outer, find_ip(frame), kinds, closed,
                 [&](const IpPacket& inner, std::uint16_t) { found.push_back(inner); });
  EXPECT_EQ(found.size(), 1u);
  return found.at(0);
}

// Where the innermost packet of a raw IP packet begins.
std::int64_t innermost_at(const Bytes& packet) {
  const HeldFrame held(packet, kLinkRaw);
  const IpPlace place = find_ip(held.frame());
  IpPacket outer;
  Ignored why;
  if (!read_ip(held.frame(), place.version, place.offset, outer, why)) return -1;
  const IpPacket inner = innermost(held.frame(), outer);
  return inner.source - held.frame().data - (inner.version == 4 ? 12 : 8);
}

void expect_inner(const Bytes& packet, const Bytes& inner) {
  EXPECT_EQ(innermost_at(packet), static_cast<std::int64_t>(packet.size() - inner.size()));
}

void expect_outer(const Bytes& packet) { EXPECT_EQ(innermost_at(packet), 0); }

TEST(Tunnel, IpInIp) {
  expect_inner(in_ip4(4, kInner4), kInner4);
  expect_inner(in_ip4(41, kInner6), kInner6);
  expect_inner(ip6({.next = 4}, kInner4), kInner4);
  expect_outer(in_ip4(4, kInner6));  // the version is told, and wrong
  expect_outer(in_ip4(6, kInner4));
}

TEST(Tunnel, LaterFragmentHasNoTunnelHeader) {
  expect_outer(ip4({.protocol = 4, .fragment = 1}, kInner4));
  expect_inner(ip4({.protocol = 4, .fragment = 0x2000}, kInner4), kInner4);
}

TEST(Tunnel, GreWithEveryOptionalField) {
  for (unsigned flags = 0; flags < 16; ++flags) {
    if (flags & 4) continue;  // source routing
    const unsigned fields = (flags & 8 ? 4 : 0) + (flags & 2 ? 4 : 0) + (flags & 1 ? 4 : 0);
    const Bytes header = ByteWriter().u16(flags << 12).u16(0x0800).zeros(fields).data();
    expect_inner(in_ip4(47, header + kInner4), kInner4);
  }
  expect_outer(in_ip4(47, ByteWriter().u16(0x4000).u16(0x0800).zeros(8).data() + kInner4));
  expect_outer(in_ip4(47, ByteWriter().u16(2).u16(0x0800).data() + kInner4));  // a version nobody knows
}

TEST(Tunnel, EthernetInGre) {
  expect_inner(in_ip4(47, ByteWriter().u16(0x2000).u16(0x6558).zeros(4).data() + kFrame6), kInner6);  // NVGRE
  expect_inner(in_ip4(47, ByteWriter().u16(0).u16(0x88be).data() + kFrame4), kInner4);                // ERSPAN I
  expect_inner(in_ip4(47, ByteWriter().u16(0x1000).u16(0x88be).zeros(4 + 8).data() + kFrame4), kInner4);
  const Bytes erspan3 = ByteWriter().u16(0x1000).u16(0x22eb).zeros(4).data();
  expect_inner(in_ip4(47, erspan3 + Bytes(12) + kFrame4), kInner4);
  expect_inner(in_ip4(47, erspan3 + Bytes(11) + Bytes{1} + Bytes(8) + kFrame4), kInner4);
}

TEST(Tunnel, Pptp) {
  const Bytes ppp = Bytes{0xff, 0x03, 0x00, 0x21} + kInner4;
  expect_inner(in_ip4(47, ByteWriter().u16(0x3001).u16(0x880b).zeros(8).data() + ppp), kInner4);
  expect_inner(in_ip4(47, ByteWriter().u16(0x3081).u16(0x880b).zeros(12).data() + ppp), kInner4);
  expect_outer(in_ip4(47, ByteWriter().u16(0x2081).u16(0x880b).zeros(8).data() + ppp));  // an acknowledgement alone
  expect_outer(in_ip4(47, ByteWriter().u16(0x3001).u16(0x0800).zeros(8).data() + kInner4));
}

TEST(Tunnel, Vxlan) {
  const Bytes header = {8, 0, 0, 0, 0, 0, 1, 0};
  expect_inner(in_udp(50000, 4789, header + kFrame6), kInner6);
  expect_outer(in_udp(4789, 50000, header + kFrame6));    // by the destination alone
  expect_outer(in_udp(50000, 4789, Bytes(8) + kFrame6));  // no network id
}

TEST(Tunnel, Geneve) {
  expect_inner(in_udp(50000, 6081, ByteWriter().u16(0).u16(0x6558).zeros(4).data() + kFrame4), kInner4);
  expect_inner(in_udp(50000, 6081, ByteWriter().u16(0x0300).u16(0x86dd).zeros(4 + 12).data() + kInner6), kInner6);
  expect_outer(in_udp(6081, 50000, ByteWriter().u16(0).u16(0x6558).zeros(4).data() + kFrame4));
}

TEST(Tunnel, GtpUser) {
  const auto gtp = [](std::uint8_t flags, std::uint8_t message = 255) {
    return ByteWriter().u8(flags).u8(message).zeros(6).data();
  };
  expect_inner(in_udp(2152, 50000, gtp(0x30) + kInner4), kInner4);
  expect_inner(in_udp(50000, 2152, gtp(0x32) + Bytes(4) + kInner6), kInner6);
  const Bytes extensions = Bytes{0, 0, 0, 0x85, 1, 0, 0, 0x20, 2, 0, 0, 0, 0, 0, 0, 0};
  expect_inner(in_udp(50000, 2152, gtp(0x34) + extensions + kInner4), kInner4);
  expect_outer(in_udp(50000, 2152, gtp(0x34) + Bytes{0, 0, 0, 0x85, 0, 0, 0, 0} + kInner4));  // an endless one
  expect_outer(in_udp(50000, 2152, gtp(0x30, 1) + kInner4));                                  // echo request
  expect_outer(in_udp(50000, 2152, gtp(0x48) + kInner4));                                     // version 2
}

TEST(Tunnel, Teredo) {
  const Bytes origin = {0, 0, 1, 2, 3, 4, 5, 6};
  const Bytes authentication = Bytes{0, 1, 2, 3} + Bytes(5) + Bytes(9);
  expect_inner(in_udp(3544, 50000, kInner6), kInner6);
  expect_inner(in_udp(50000, 3544, origin + kInner6), kInner6);
  expect_inner(in_udp(50000, 3544, authentication + origin + kInner6), kInner6);
  expect_outer(in_udp(50000, 3544, kInner4));
}

TEST(Tunnel, L2tp) {
  const Bytes ppp = Bytes{0x21} + kInner4;
  expect_inner(in_udp(1701, 1701, ByteWriter().u16(0x0002).zeros(4).data() + ppp), kInner4);
  const Bytes all = ByteWriter().u16(0x4a02).zeros(2 + 4 + 4).u16(3).zeros(3).data();
  expect_inner(in_udp(50000, 1701, all + ppp), kInner4);
  expect_outer(in_udp(1701, 1701, ByteWriter().u16(0x8002).zeros(4).data() + ppp));  // a control message
  expect_outer(in_udp(1701, 1701, ByteWriter().u16(0x0003).zeros(4).data() + ppp));  // version 3
}

TEST(Tunnel, EightDeepAndNoDeeper) {
  Bytes packet = kInner4;
  for (int depth = 0; depth < kMostTunnels; ++depth) packet = in_ip4(4, packet);
  expect_inner(packet, kInner4);
  EXPECT_EQ(innermost_at(in_ip4(4, packet)), 20 * kMostTunnels);
}

TEST(Tunnel, WhatCannotBeReadLeavesThePacketAroundIt) {
  const Bytes whole = in_ip4(4, in_ip4(4, kInner4));
  for (std::size_t size = 20; size <= whole.size(); ++size) {
    const HeldFrame held = HeldFrame::cut(whole, size, kLinkRaw);
    IpPacket outer;
    Ignored why;
    ASSERT_TRUE(read_ip(held.frame(), 4, 0, outer, why));
    const std::size_t depth = std::min<std::size_t>(size / 20 - 1, 2);
    EXPECT_EQ(innermost(held.frame(), outer).source - held.frame().data, 12 + 20 * static_cast<std::int64_t>(depth));
  }
}

}  // namespace
}  // namespace warpmeter::test
