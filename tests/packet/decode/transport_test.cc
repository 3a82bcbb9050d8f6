// Ports, ICMP type and code, TCP headers whole, short and malformed (sections 3 and 4 of the definitions).
#include "packet/decode/transport.h"

#include <gtest/gtest.h>

#include "support/decoded_packet.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

void expect_ports(const DecodedPacket& d, std::uint16_t source, std::uint16_t destination) {
  EXPECT_EQ(port_number(d.key.source_port), source);
  EXPECT_EQ(port_number(d.key.destination_port), destination);
}

TEST(Transport, TcpSegmentOverIp4) {
  const Bytes header = tcp({.sequence = 0x89abcdef, .header_words = 8, .flags = 0xd2, .window = 0xfedc}, Bytes(12));
  const DecodedPacket d = decode_packet(ip4({}, header + Bytes(100)));
  EXPECT_TRUE(is_tcp(d.segment));
  EXPECT_EQ(d.segment.sequence, 0x89abcdefu);
  EXPECT_EQ(d.segment.flags, 0xd2);
  EXPECT_EQ(d.segment.window, 0xfedc);
  EXPECT_EQ(d.segment.payload_length, 100u);
  EXPECT_EQ(d.segment.length, 152u);
  EXPECT_EQ(d.segment.kind, kTcpSegment | kHasIdentity);
  EXPECT_EQ(d.key.version, 4);
  EXPECT_EQ(d.key.protocol, 6);
  EXPECT_EQ(Bytes(d.key.source, d.key.source + 16), (Bytes{10, 0, 0, 1} + Bytes(12)));
  EXPECT_EQ(Bytes(d.key.destination, d.key.destination + 16), (Bytes{10, 0, 0, 2} + Bytes(12)));
  expect_ports(d, 40000, 443);
}

TEST(Transport, TcpSegmentOverIp6) {
  const DecodedPacket d = decode_packet(ip6({}, tcp({}) + Bytes(9)));
  EXPECT_EQ(d.segment.payload_length, 9u);
  EXPECT_EQ(d.segment.length, 69u);
  EXPECT_EQ(d.segment.kind, kTcpSegment | kHasIdentity | kAnonymous);
  EXPECT_EQ(d.key.version, 6);
  EXPECT_EQ(d.key.source[0], 0x20);
  EXPECT_EQ(d.key.source[15], 1);
  EXPECT_EQ(d.key.destination[15], 2);
  expect_ports(d, 40000, 443);
}

TEST(Transport, TcpPayloadIsThatOfTheHeaderHoweverLittleWasCaptured) {
  EXPECT_EQ(decode_packet(ip4({}, tcp({}) + Bytes(1000)), 40).segment.payload_length, 1000u);
}

// Options need not have been captured; 20 bytes are enough.
TEST(Transport, TcpOptionsNotCapturedAreNoMatter) {
  const DecodedPacket d = decode_packet(ip4({}, tcp({.header_words = 15}, Bytes(40)) + Bytes(7)), 40);
  EXPECT_TRUE(is_tcp(d.segment));
  EXPECT_EQ(d.segment.payload_length, 7u);
}

TEST(Transport, TcpHeaderNotCapturedWholeIsShort) {
  const Bytes packet = ip4({}, tcp({}) + Bytes(100));
  for (std::size_t captured = 20; captured < 40; ++captured) {
    const DecodedPacket d = decode_packet(packet, captured);
    EXPECT_FALSE(is_tcp(d.segment)) << captured;
    EXPECT_EQ(d.counters.short_transport_headers, 1u) << captured;
    EXPECT_EQ(d.counters.malformed_segments, 0u) << captured;
    EXPECT_EQ(d.segment.length, 140u) << captured;
    expect_ports(d, captured < 24 ? 0 : 40000, captured < 24 ? 0 : 443);
  }
  EXPECT_EQ(decode_packet(packet, 40).counters.short_transport_headers, 0u);
}

// The packet ends within the header; what follows in the frame is padding.
TEST(Transport, PaddingIsNoTcpHeader) {
  const DecodedPacket d = decode_packet(ip4({.length = 39}, tcp({})));
  EXPECT_FALSE(is_tcp(d.segment));
  EXPECT_EQ(d.counters.short_transport_headers, 1u);
  expect_ports(d, 40000, 443);
}

TEST(Transport, TcpDataOffsetBelowFiveIsMalformed) {
  for (const std::uint8_t words : Bytes{0, 4}) {
    const DecodedPacket d = decode_packet(ip4({}, tcp({.header_words = words}) + Bytes(30)));
    EXPECT_FALSE(is_tcp(d.segment));
    EXPECT_EQ(d.counters.malformed_segments, 1u);
    EXPECT_EQ(d.counters.short_transport_headers, 0u);
    expect_ports(d, 40000, 443);
  }
}

TEST(Transport, TcpHeaderBeyondTheIpPayloadIsMalformed) {
  EXPECT_EQ(decode_packet(ip4({}, tcp({.header_words = 6}) + Bytes(3))).counters.malformed_segments, 1u);
  EXPECT_EQ(decode_packet(ip4({}, tcp({.header_words = 6}) + Bytes(4))).counters.malformed_segments, 0u);
  EXPECT_EQ(decode_packet(ip4({}, tcp({.header_words = 6}))).counters.malformed_segments, 1u);
}

TEST(Transport, FirstFragmentHasPortsAndItsOwnPayload) {
  const DecodedPacket d = decode_packet(ip4({.fragment = 0x2000}, tcp({}) + Bytes(60)));
  EXPECT_TRUE(is_tcp(d.segment));
  EXPECT_EQ(d.segment.payload_length, 60u);
  expect_ports(d, 40000, 443);
}

TEST(Transport, LaterFragmentHasNoPortsAndIsNoSegment) {
  for (const std::uint8_t protocol : Bytes{6, 17, 1}) {
    const DecodedPacket d = decode_packet(ip4({.protocol = protocol, .fragment = 1}, tcp({})));
    EXPECT_FALSE(is_tcp(d.segment));
    EXPECT_EQ(d.key.protocol, protocol);
    EXPECT_EQ(d.counters.short_transport_headers + d.counters.malformed_segments, 0u);
    expect_ports(d, 0, 0);
  }
}

TEST(Transport, ProtocolsWithPortsNeedFourBytes) {
  for (const std::uint8_t protocol : Bytes{17, 33, 132, 136}) {
    const Bytes packet = ip4({.protocol = protocol}, udp(53, 5353));
    expect_ports(decode_packet(packet, 24), 53, 5353);
    expect_ports(decode_packet(packet, 23), 0, 0);
    EXPECT_FALSE(is_tcp(decode_packet(packet).segment));
  }
}

TEST(Transport, IcmpTypeAndCodeAreTheDestinationPort) {
  expect_ports(decode_packet(ip4({.protocol = 1}, {3, 1, 0, 0})), 0, 3 * 256 + 1);
  expect_ports(decode_packet(ip6({.next = 58}, {128, 0, 0, 0})), 0, 128 * 256);
  expect_ports(decode_packet(ip6({.next = 1}, {8, 0, 0, 0})), 0, 8 * 256);
  expect_ports(decode_packet(ip4({.protocol = 58}, {255, 255, 0, 0})), 0, 65535);
}

TEST(Transport, IcmpWithoutBothBytesHasPortZero) {
  const Bytes packet = ip4({.protocol = 1}, {3, 1, 0, 0});
  expect_ports(decode_packet(packet, 21), 0, 0);
  expect_ports(decode_packet(packet, 20), 0, 0);
  expect_ports(decode_packet(packet, 22), 0, 3 * 256 + 1);
}

TEST(Transport, OtherProtocolsHaveNoPorts) {
  for (const std::uint8_t protocol : Bytes{2, 4, 41, 47, 50, 89, 255}) {
    const DecodedPacket d = decode_packet(ip4({.protocol = protocol}, Bytes(30, 0xff)));
    expect_ports(d, 0, 0);
    EXPECT_EQ(d.key.protocol, protocol);
    EXPECT_EQ(d.segment.kind, kHasIdentity);
  }
}

TEST(Transport, QuotedTcpInsideIcmpIsNoSegment) {
  const DecodedPacket d = decode_packet(ip4({.protocol = 1}, Bytes{3, 3, 0, 0, 0, 0, 0, 0} + ip4({}, tcp({}))));
  EXPECT_FALSE(is_tcp(d.segment));
  expect_ports(d, 0, 3 * 256 + 3);
}

}  // namespace
}  // namespace warpmeter::test
