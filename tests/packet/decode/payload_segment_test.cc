// Both ways through the decoder give the same row of a segment, with the ends that its Flow Key has.
#include "packet/decode/payload_segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "packet/decode/ip.h"
#include "packet/decode/transport.h"
#include "support/held_frame.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kRowSeed = 77;

bool same_ends(const PayloadSegment& a, const PayloadSegment& b) {
  if (a.version != b.version || a.ports != b.ports || a.hash != b.hash) return false;
  return a.version == 4 ? a.addresses4 == b.addresses4 : std::memcmp(a.addresses6, b.addresses6, 32) == 0;
}

// A row as the long way makes it, if there is TCP.
bool read_long_way(const HeldFrame& held, int version, PayloadSegment& s, FlowKey& key) {
  IpPacket ip{};
  Ignored why{};
  if (!read_ip(held.frame(), version, 0, ip, why)) return false;
  Segment segment;
  DecodeCounters counters;
  read_transport(ip, key, segment, counters, kRowSeed);
  if (!is_tcp(segment)) return false;
  set_payload_segment(ip, segment.payload_length, kRowSeed, s);
  return true;
}

template <int kVersion>
bool row_agrees_if_plain(const HeldFrame& held) {
  PlainTcp<kVersion> plain;
  if (!read_plain_tcp(held.frame().data, held.frame().captured, plain)) return false;
  PayloadSegment s, other;
  FlowKey key;
  EXPECT_TRUE(read_long_way(held, kVersion, other, key));
  set_payload_segment(plain, held.frame().captured - (kVersion == 4 ? kIp4Header : kIp6Header), kRowSeed, s);
  EXPECT_TRUE(same_ends(s, other));
  EXPECT_TRUE(flow_key(s) == key);
  EXPECT_EQ(shard_of(plain), shard_of(hashed_key(key)));
  EXPECT_EQ(s.sequence, other.sequence);
  EXPECT_EQ(s.acknowledged, other.acknowledged);
  EXPECT_EQ(s.flags, other.flags);
  EXPECT_EQ(s.payload_length, other.payload_length);
  EXPECT_EQ(s.captured, other.captured);
  EXPECT_LE(s.captured, s.payload_length);
  const std::uint8_t* const end = held.frame().data + held.frame().captured;
  EXPECT_TRUE(s.captured == 0 || (s.data == other.data && s.data + s.captured <= end));
  return true;
}
bool row_agrees_if_plain(const Bytes& packet, std::size_t captured) {
  const HeldFrame held = HeldFrame::cut(packet, captured, kLinkRaw);
  return packet.at(0) >> 4 == 6 ? row_agrees_if_plain<6>(held) : row_agrees_if_plain<4>(held);
}

TEST(PayloadSegment, IsTheSameFromBothWaysWhateverTheBytes) {
  std::mt19937 random(1);
  const Bytes packets[] = {ip4({}, tcp({}, Bytes(40))), ip6({}, tcp({}, Bytes(40)))};
  int plain = 0;
  for (int i = 0; i < 20'000; ++i) {
    Bytes packet = packets[random() % 2];
    for (unsigned changes = random() % 8; changes > 0; --changes) {
      packet[random() % packet.size()] = static_cast<std::uint8_t>(random());
    }
    plain += row_agrees_if_plain(packet, random() % (packet.size() + 1));
    if (HasFailure()) return;
  }
  EXPECT_GT(plain, 2000);
}

TEST(PayloadSegment, OfIpOptionsItsPayloadIsBehindThem) {
  const HeldFrame held(ip4({.options = Bytes(8, 1)}, tcp({.header_words = 6}, Bytes{1, 1, 1, 1, 7, 8, 9})), kLinkRaw);
  PayloadSegment s;
  FlowKey key;
  ASSERT_TRUE(read_long_way(held, 4, s, key));
  ASSERT_EQ(s.captured, 3u);
  EXPECT_EQ(s.data[0], 7);
  EXPECT_TRUE(flow_key(s) == key);
}

TEST(PayloadSegment, BothDirectionsHaveOneHash) {
  for (const int version : {4, 6}) {
    const Bytes packet = version == 4 ? ip4({}, tcp({})) : ip6({}, tcp({}));
    Bytes turned = packet;
    const std::size_t address = version == 4 ? 4 : 16, at = version == 4 ? 12 : 8;
    const std::size_t tcp_at = version == 4 ? kIp4Header : kIp6Header;
    std::swap_ranges(turned.begin() + at, turned.begin() + at + address, turned.begin() + at + address);
    std::swap_ranges(turned.begin() + tcp_at, turned.begin() + tcp_at + 2, turned.begin() + tcp_at + 2);
    ASSERT_NE(turned, packet);
    PayloadSegment s, other;
    FlowKey key, turned_key;
    ASSERT_TRUE(read_long_way(HeldFrame(packet, kLinkRaw), version, s, key));
    ASSERT_TRUE(read_long_way(HeldFrame(turned, kLinkRaw), version, other, turned_key));
    EXPECT_EQ(s.hash, other.hash);
    EXPECT_TRUE(turned_key == swapped(key));
  }
}

}  // namespace
}  // namespace warpmeter::test
