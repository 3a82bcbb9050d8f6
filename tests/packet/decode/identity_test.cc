// What two copies of a packet share (section 6, rule 1 of the definitions).
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "packet/decode/transport.h"
#include "reference/packet.h"
#include "support/decoded_packet.h"
#include "support/fewer.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

const Bytes kUdp = udp(53, 5353, counting_bytes(150), 0xbeef);
const Bytes kUnchecked = udp(53, 5353, counting_bytes(150));

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

TEST(Identity, WithAnIpIdTcpOptionsAndPayloadAreNotCompared) {
  const Bytes packet = ip4({}, tcp({.header_words = 6}, Bytes(4)) + Bytes(40));
  for (std::size_t at = 40; at < packet.size(); ++at) {
    EXPECT_TRUE(same_identity(decode_packet(packet), decode_packet(flipped(packet, at)))) << "byte " << at;
  }
}

// With headers of all sizes: each of their bytes, and none of the payload.
TEST(Identity, WithoutAnIpIdTheWholeTcpHeaderIsCompared) {
  for (std::uint8_t words = 5; words <= 15; ++words) {
    const Bytes segment = tcp({.header_words = words}, counting_bytes(words * 4u - 20 + 30));
    for (const Bytes& packet :
         {ip4({.id = 0}, segment), ip4({.id = 0, .options = Bytes(8, 1)}, segment), ip6({}, segment)}) {
      const std::size_t begin = packet.size() - segment.size(), end = begin + words * 4u;
      for (std::size_t at = begin; at < packet.size(); ++at) {
        EXPECT_EQ(same_identity(decode_packet(packet), decode_packet(flipped(packet, at))), at >= end)
            << "byte " << at - begin << " of a header of " << words * 4;
      }
    }
  }
}

// Cut behind the same byte two packets may be copies, cut behind different ones they are none.
TEST(Identity, WithoutAnIpIdAsMuchOfTheTcpHeaderAsWasCaptured) {
  for (const std::uint8_t words : Bytes{5, 6, 7, 8, 9, 10, 15}) {
    const Bytes packet = ip6({}, tcp({.header_words = words}, counting_bytes(words * 4u - 20 + 10)));
    const std::size_t header_end = 40 + words * 4u;
    for (std::size_t captured = 60; captured < packet.size(); ++captured) {
      const DecodedPacket cut = decode_packet(packet, captured);
      for (std::size_t at = 60; at < header_end; ++at) {
        EXPECT_EQ(same_identity(cut, decode_packet(flipped(packet, at), captured)), at >= captured)
            << "byte " << at << " of " << captured;
      }
      EXPECT_EQ(same_identity(cut, decode_packet(packet, captured + 1)), captured >= header_end) << captured;
    }
  }
}

// What detection of SYN+ACKs reads.
TEST(Identity, OfATcpSegmentHasTheAcknowledgementNumberInItsUpperHalf) {
  const Bytes segment = tcp({.acknowledgement = 0x89abcdef, .header_words = 8, .flags = 0x12}, counting_bytes(12));
  for (const Bytes& packet : {ip4({}, segment), ip4({.id = 0}, segment), ip6({}, segment)}) {
    EXPECT_EQ(decode_packet(packet).segment.identity_a >> 32, 0x89abcdefu);
    EXPECT_EQ(decode_packet(packet, packet.size() - 5).segment.identity_a >> 32, 0x89abcdefu);
  }
}

// Options that a sender chooses so that checksum, urgent pointer or each other make up for them: whatever the seed, no
// two of them are alike.
TEST(Identity, NobodyCanPrepareOptionsThatLookAlike) {
  std::mt19937 random(5);
  const Bytes first = ip6({}, tcp({.header_words = 9}, counting_bytes(16)));
  for (int i = 0; i < 20'000; ++i) {
    Bytes other = first;
    const auto by = static_cast<std::uint8_t>(1u << random() % 8);
    for (auto changes = 1 + random() % 3; changes > 0; --changes) other[56 + random() % 20] ^= by;
    if (other == first) continue;
    const HashSeed seed(random());
    ASSERT_FALSE(same_identity(decode_packet(first, first.size(), seed), decode_packet(other, other.size(), seed)))
        << i;
  }
}

TEST(Identity, OtherwiseThe64BytesBehindTheIpHeaderAreCompared) {
  const Bytes packet = ip4({17}, kUdp);
  for (std::size_t at = 20; at < packet.size(); ++at) {
    EXPECT_EQ(same_identity(decode_packet(packet), decode_packet(flipped(packet, at))), at >= 84) << "byte " << at;
  }
}

// Without checksum twice as many bytes tell datagrams apart: a tunnel's own headers may be alike in all of the
// first 64.
TEST(Identity, OfUdpWithoutChecksumThe128BytesBehindTheIpHeaderAreCompared) {
  for (const Bytes& packet : {ip4({17}, kUnchecked), ip4({17, 0}, kUnchecked), ip6({17}, kUnchecked)}) {
    const std::size_t begin = packet.size() - kUnchecked.size();
    for (std::size_t at = begin; at < packet.size(); ++at) {
      EXPECT_EQ(same_identity(decode_packet(packet), decode_packet(flipped(packet, at))), at >= begin + 128)
          << "byte " << at - begin;
    }
  }
}

TEST(Identity, OfUdpWithoutChecksumAsManyOfThe128BytesAsWereCaptured) {
  const Bytes packet = ip4({17}, kUnchecked);
  for (std::size_t captured = 21; captured < packet.size(); ++captured) {
    const DecodedPacket cut = decode_packet(packet, captured);
    EXPECT_TRUE(same_identity(cut, decode_packet(flipped(packet, captured), captured)));
    EXPECT_FALSE(
        same_identity(cut, decode_packet(flipped(packet, std::min<std::size_t>(captured, 148) - 1), captured)));
    EXPECT_EQ(same_identity(cut, decode_packet(packet, captured + 1)), captured >= 148) << captured;
  }
}

TEST(Identity, OnlyUdpHasNoChecksumWhereItsBytesAreZero) {
  for (const Bytes& packet : {ip4({.protocol = 136}, kUnchecked), ip4({.protocol = 132}, kUnchecked),
                              ip4({.protocol = 1}, kUnchecked), ip6({.next = 58}, kUnchecked),
                              ip4({.protocol = 17, .fragment = 5}, Bytes(kUnchecked.size()))}) {  // a later fragment
    const std::size_t end = packet.size() - kUnchecked.size() + 64;
    EXPECT_TRUE(same_identity(decode_packet(packet), decode_packet(flipped(packet, end))));
    EXPECT_FALSE(same_identity(decode_packet(packet), decode_packet(flipped(packet, end - 1))));
  }
  const Bytes first_fragment = ip4({.protocol = 17, .fragment = 0x2000}, kUnchecked);
  EXPECT_FALSE(same_identity(decode_packet(first_fragment), decode_packet(flipped(first_fragment, 147))));
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

// A header that the packet has no room for is compared as far as captured, as a good one is that was cut there: with
// IPv4 options in place of its own a packet of the same length may have either.
TEST(Identity, OfTcpDoesNotDependOnWhetherTheHeaderIsGood) {
  for (const std::uint16_t id : {std::uint16_t{0}, std::uint16_t{7}}) {
    const Bytes options = counting_bytes(8), header = tcp({.header_words = 7}, options);
    const Bytes good = ip4({.id = id}, header),
                room_for_20 = ip4({.id = id, .options = Bytes(8, 1)}, tcp({.header_words = 7})),
                room_for_24 = ip4({.id = id, .options = Bytes(4, 1)}, tcp({.header_words = 7}, {0, 1, 2, 3}));
    EXPECT_TRUE(same_packet(decode_packet(good, 40).segment, decode_packet(room_for_20).segment));
    EXPECT_EQ(same_packet(decode_packet(good, 44).segment, decode_packet(room_for_24).segment), id == 0);
    EXPECT_FALSE(same_packet(decode_packet(good).segment, decode_packet(room_for_24).segment));
  }
}

// Packets of few kinds, changed and cut by chance.
class RandomPackets {
 public:
  Bytes packet() {
    const Bytes payload(random_() % 160, static_cast<std::uint8_t>(random_() % 2));
    const auto checksum = static_cast<std::uint16_t>(random_() % 2);
    const auto id = static_cast<std::uint16_t>(random_() % 3);
    const std::uint16_t fragment = random_() % 8 ? 0 : random_() % 2 ? 0x2000 : 5;
    switch (random_() % 5) {
      case 0: return ip4({.protocol = 17, .id = id, .fragment = fragment}, udp(1, 2, payload, checksum));
      case 1: return ip6({.next = 17}, udp(1, 2, payload, checksum));
      case 2: return ip6({}, segment(payload));
      case 3: return ip4({.id = id, .options = Bytes(random_() % 3 * 4, 1)}, segment(payload));
      default: return ip4({.id = id, .fragment = fragment}, segment(payload));
    }
  }
  Bytes nearly(Bytes packet) {
    for (auto changes = random_() % 3; changes > 0; --changes) {
      packet[random_() % packet.size()] ^= static_cast<std::uint8_t>(1u << random_() % 8);
    }
    return packet;
  }
  std::size_t captured(const Bytes& packet) { return random_() % 2 ? packet.size() : random_() % (packet.size() + 1); }

 private:
  Bytes segment(const Bytes& rest) {
    return tcp({.header_words = static_cast<std::uint8_t>(4 + random_() % 12)}, rest);
  }

  std::mt19937 random_{7};
};

// Of the oracle; nothing if the packet is not metered.
std::vector<std::uint8_t> identity_by_oracle(const Bytes& packet, std::size_t captured) {
  const std::span<const std::uint8_t> bytes(packet.data(), captured);
  const auto original = static_cast<std::int64_t>(packet.size());
  const auto decoded = reference::decode({0, kLinkRaw, original, reference::Bytes(bytes)}, {});
  return decoded.at(0).ignored ? std::vector<std::uint8_t>() : decoded.at(0).packet.identity;
}

TEST(Identity, IsThatOfTheOracle) {
  RandomPackets random;
  std::size_t same = 0, others = 0;
  for (std::size_t i = 0; i < fewer(100'000); ++i) {
    const Bytes first = random.packet(), second = random.nearly(first);
    const std::size_t captured = random.captured(first);
    const std::size_t other_captured = i % 4 ? captured : random.captured(second);
    const auto a = identity_by_oracle(first, captured), b = identity_by_oracle(second, other_captured);
    if (a.empty() || b.empty()) continue;
    const DecodedPacket one = decode_packet(first, captured), other = decode_packet(second, other_captured);
    const bool by_program = one.key == other.key && same_packet(one.segment, other.segment);
    ASSERT_EQ(by_program, a == b) << i;
    ++(a == b ? same : others);
  }
  EXPECT_GT(same, fewer(10'000));
  EXPECT_GT(others, fewer(10'000));
}

}  // namespace
}  // namespace warpmeter::test
