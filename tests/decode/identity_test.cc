// What two copies of a packet share (section 6, rule 1 of the definitions).
#include <gtest/gtest.h>

#include "decode/transport.h"
#include "support/decoded_packet.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

const Bytes kUdp = udp(53, 5353, counting_bytes(100));

Bytes flipped(Bytes bytes, std::size_t at) {
  bytes[at] ^= 1;
  return bytes;
}

TEST(Identity, EqualPacketsShareIt) {
  EXPECT_TRUE(same_identity(decode_packet(ip4({}, tcp({}))), decode_packet(ip4({}, tcp({})))));
  EXPECT_TRUE(same_identity(decode_packet(ip4({17}, kUdp)), decode_packet(ip4({17}, kUdp))));
}

TEST(Identity, TimeToLiveServiceAndIpChecksumAreNotCompared) {
  for (const Bytes& packet : {ip4({}, tcp({})), ip4({17}, kUdp)}) {
    for (const std::size_t at : {1, 8, 10, 11}) {
      EXPECT_TRUE(same_identity(decode_packet(packet), decode_packet(flipped(packet, at)))) << "byte " << at;
    }
  }
}

TEST(Identity, IpIdIsCompared) {
  EXPECT_FALSE(same_identity(decode_packet(ip4({.id = 1}, tcp({}))), decode_packet(ip4({.id = 257}, tcp({})))));
  EXPECT_FALSE(same_identity(decode_packet(ip4({17, 1}, kUdp)), decode_packet(ip4({17, 257}, kUdp))));
}

TEST(Identity, EachOfTheFirst20BytesOfATcpHeaderIsCompared) {
  const Bytes packet = ip4({}, tcp({.header_words = 6}, Bytes(4)) + Bytes(40));
  for (std::size_t at = 20; at < 40; ++at) {
    EXPECT_FALSE(same_identity(decode_packet(packet), decode_packet(flipped(packet, at)))) << "byte " << at;
  }
}

TEST(Identity, TcpOptionsAndPayloadAreNotCompared) {
  const Bytes packet = ip4({}, tcp({.header_words = 6}, Bytes(4)) + Bytes(40));
  for (std::size_t at = 40; at < packet.size(); ++at) {
    EXPECT_TRUE(same_identity(decode_packet(packet), decode_packet(flipped(packet, at)))) << "byte " << at;
  }
}

TEST(Identity, OtherwiseThe64BytesBehindTheIpHeaderAreCompared) {
  const Bytes packet = ip4({17}, kUdp);
  for (std::size_t at = 20; at < packet.size(); ++at) {
    EXPECT_EQ(same_identity(decode_packet(packet), decode_packet(flipped(packet, at))), at >= 84) << "byte " << at;
  }
}

TEST(Identity, PaddingIsNotCompared) {
  const Bytes packet = ip4({17}, udp(1, 2, Bytes(4))) + Bytes(10);
  EXPECT_TRUE(same_identity(decode_packet(packet), decode_packet(flipped(packet, 35))));
  EXPECT_TRUE(same_identity(decode_packet(packet), decode_packet(packet, 32)));
}

TEST(Identity, FragmentOffsetIsCompared) {
  EXPECT_FALSE(same_identity(decode_packet(ip4({17, 5, 1}, kUdp)), decode_packet(ip4({17, 5, 2}, kUdp))));
}

TEST(Identity, IpLengthIsCompared) {
  const Bytes longer = ip4({.protocol = 17, .length = 200}, kUdp), shorter = ip4({.protocol = 17, .length = 201}, kUdp);
  EXPECT_FALSE(same_identity(decode_packet(longer), decode_packet(shorter)));
}

TEST(Identity, NoneWhereNothingBehindTheIpHeaderWasCaptured) {
  for (const Bytes& packet : {ip4({}, tcp({})), ip4({17}, kUdp), ip4({50}, Bytes(30))}) {
    EXPECT_EQ(decode_packet(packet, 20).segment.kind & kHasIdentity, 0);
    EXPECT_EQ(decode_packet(packet, 21).segment.kind & kHasIdentity, kHasIdentity);
  }
}

TEST(Identity, Ip6AndIdZeroAreAnonymous) {
  EXPECT_EQ(decode_packet(ip4({.id = 0}, tcp({}))).segment.kind & kAnonymous, kAnonymous);
  EXPECT_EQ(decode_packet(ip4({.id = 1}, tcp({}))).segment.kind & kAnonymous, 0);
  EXPECT_EQ(decode_packet(ip6({17}, kUdp)).segment.kind & kAnonymous, kAnonymous);
}

// A broken TCP header is "everything else": its options and payload tell packets apart.
TEST(Identity, MalformedTcpIsComparedLikeEverythingElse) {
  const Bytes packet = ip4({}, tcp({.header_words = 4}) + Bytes(60));
  EXPECT_FALSE(same_identity(decode_packet(packet), decode_packet(flipped(packet, 83))));
  EXPECT_TRUE(same_identity(decode_packet(packet), decode_packet(flipped(packet, 84))));
}

}  // namespace
}  // namespace warpmeter::test
