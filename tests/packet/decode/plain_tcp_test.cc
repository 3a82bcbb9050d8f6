// The short way through the decoder gives what the long one gives, and takes no packet that is not its own.
#include "packet/decode/plain_tcp.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "packet/decode/ip.h"
#include "packet/decode/transport.h"
#include "support/held_frame.h"
#include "support/packets.h"
#include "support/same_segment.h"

namespace warpmeter::test {
namespace {

bool of_ip6(const Bytes& packet) { return packet.at(0) >> 4 == 6; }

template <int kVersion>
bool is_plain(const HeldFrame& held) {
  PlainTcp<kVersion> plain;
  return read_plain_tcp(held.frame().data, held.frame().captured, plain);
}
bool is_plain(const Bytes& packet, std::size_t captured) {
  const HeldFrame held = HeldFrame::cut(packet, captured, kLinkRaw);
  return of_ip6(packet) ? is_plain<6>(held) : is_plain<4>(held);
}
bool is_plain(const Bytes& packet) { return is_plain(packet, packet.size()); }

// Is it plain? Then both ways must agree in everything.
template <int kVersion>
bool agrees_if_plain(const HeldFrame& held, std::uint16_t vlan) {
  PlainTcp<kVersion> plain;
  if (!read_plain_tcp(held.frame().data, held.frame().captured, plain)) return false;
  IpPacket ip{};
  Ignored why{};
  EXPECT_TRUE(read_ip(held.frame(), kVersion, 0, ip, why));
  FlowKey key, plain_key;
  Segment segment, plain_segment;
  DecodeCounters counters;
  read_transport(ip, key, segment, counters, 77);
  store_be16(key.vlan, vlan);
  std::memset(static_cast<void*>(&plain_key), 0xee, sizeof plain_key);  // as if it had been used before
  plain_segment.payload_length = plain_segment.kind = 0xee;
  set_key(plain, vlan, plain_key);
  set_segment(plain, held.frame().captured - (kVersion == 4 ? kIp4Header : kIp6Header), 77, plain_segment);
  EXPECT_TRUE(key == plain_key);
  EXPECT_TRUE(same_segment(segment, plain_segment));
  EXPECT_EQ(counters.malformed_segments + counters.short_transport_headers, 0u);
  const FlowHash hash = hash_flow(key, 77), plain_hash = hash_flow(hashed_key(plain, vlan), 77);
  EXPECT_EQ(hash.hash, plain_hash.hash);
  EXPECT_EQ(hash.shard, plain_hash.shard);
  return true;
}
bool agrees_if_plain(const Bytes& packet, std::size_t captured, std::uint16_t vlan = 0) {
  const HeldFrame held = HeldFrame::cut(packet, captured, kLinkRaw);
  return of_ip6(packet) ? agrees_if_plain<6>(held, vlan) : agrees_if_plain<4>(held, vlan);
}

TEST(PlainTcp, IsTcpWithoutOptionsOfIp) {
  EXPECT_TRUE(is_plain(ip4({}, tcp({}))));
  EXPECT_TRUE(is_plain(ip6({}, tcp({}))));
  EXPECT_TRUE(is_plain(ip4({}, tcp({.header_words = 8}, Bytes(12)))));
  EXPECT_TRUE(is_plain(ip4({.fragment = 0x6000}, tcp({}))));  // first fragment, do not fragment
}

TEST(PlainTcp, IsNothingElse) {
  EXPECT_FALSE(is_plain(ip4({.options = Bytes(4, 1)}, tcp({}))));
  EXPECT_FALSE(is_plain(ip4({.protocol = 17}, tcp({}))));
  EXPECT_FALSE(is_plain(ip6({.next = 17}, tcp({}))));
  EXPECT_FALSE(is_plain(ip6({.next = 0}, tcp({}))));
  EXPECT_FALSE(is_plain(ip4({.fragment = 1}, tcp({}))));
  EXPECT_FALSE(is_plain(ip4({.length = std::uint16_t{0}}, tcp({}))));
  EXPECT_FALSE(is_plain(ip4({.length = std::uint16_t{19}}, tcp({}))));
  EXPECT_FALSE(is_plain(ip4({.length = std::uint16_t{39}}, tcp({}))));
  EXPECT_FALSE(is_plain(ip6({.payload_length = std::uint16_t{0}}, tcp({}))));
  EXPECT_FALSE(is_plain(ip4({}, tcp({.header_words = 4}))));
  EXPECT_FALSE(is_plain(ip4({}, tcp({.header_words = 6}))));
}

TEST(PlainTcp, NeedsAllOfTheFixedHeaders) {
  const Bytes four = ip4({}, tcp({}, Bytes(100))), six = ip6({}, tcp({}, Bytes(100)));
  for (std::size_t captured = 0; captured < four.size(); ++captured)
    EXPECT_EQ(is_plain(four, captured), captured >= 40);
  for (std::size_t captured = 0; captured < six.size(); ++captured) EXPECT_EQ(is_plain(six, captured), captured >= 60);
}

TEST(PlainTcp, OfTheOtherVersionThereIsNone) {
  EXPECT_FALSE(is_plain<4>(HeldFrame(ip6({}, tcp({})), kLinkRaw)));
  EXPECT_FALSE(is_plain<6>(HeldFrame(ip4({}, tcp({}, Bytes(40))), kLinkRaw)));
}

TEST(PlainTcp, IsReadAsTheLongWayReadsIt) {
  EXPECT_TRUE(agrees_if_plain(ip4({}, tcp({}, Bytes(7))), 47));
  EXPECT_TRUE(agrees_if_plain(ip6({}, tcp({}, Bytes(7))), 67, 0xabc));
  EXPECT_TRUE(agrees_if_plain(ip4({.id = 0}, tcp({.flags = 2}, Bytes(7))), 40, 7));
}

TEST(PlainTcp, AgreesWithTheLongWayWhateverTheBytes) {
  std::mt19937 random(1);
  const Bytes packets[] = {ip4({}, tcp({}, Bytes(40))), ip6({}, tcp({}, Bytes(40)))};
  int plain = 0, other = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes packet = packets[random() % 2];
    for (unsigned changes = random() % 4; changes > 0; --changes) {
      packet[random() % packet.size()] = static_cast<std::uint8_t>(random());
    }
    const bool is =
        agrees_if_plain(packet, random() % (packet.size() + 1), static_cast<std::uint16_t>(random() % 4096));
    ++(is ? plain : other);
    if (HasFailure()) return;
  }
  EXPECT_GT(plain, 2000);
  EXPECT_GT(other, 2000);
}

}  // namespace
}  // namespace warpmeter::test
