// A frame that was put together of segments is cut into the same segments again.
#include "packet/nic/ring/segment_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/byte_writer.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {
namespace {

constexpr std::uint8_t kFin = 0x01, kPush = 0x08, kAck = 0x10, kCwr = 0x80;

struct Kind {
  std::uint16_t link = kLinkEthernet;
  std::vector<std::uint16_t> tags = {};
  bool ipv6 = false, udp = false;
  std::size_t ip_options = 0, tcp_options = 0;  // bytes; of IPv6: an extension header
};

void add16(Bytes& to, std::size_t value) {
  to.push_back(static_cast<std::uint8_t>(value >> 8));
  to.push_back(static_cast<std::uint8_t>(value));
}

// With so many bytes from a place of the stream on.
Bytes frame_of(const Kind& kind, std::size_t place, std::size_t bytes, std::uint16_t id, std::uint8_t flags) {
  Bytes frame;
  if (kind.link == kLinkEthernet) {
    frame.assign({2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2});
    for (const std::uint16_t tag : kind.tags) add16(frame, tag), add16(frame, 5);
    add16(frame, kind.ipv6 ? 0x86dd : 0x0800);
  }
  const std::size_t transport = kind.udp ? 8 : 20 + kind.tcp_options;
  const std::uint8_t protocol = kind.udp ? 17 : 6;
  if (kind.ipv6) {
    frame.insert(frame.end(), {0x60, 0, 0, 0});
    add16(frame, kind.ip_options + transport + bytes);
    frame.insert(frame.end(), {kind.ip_options ? std::uint8_t{60} : protocol, 64});
    frame.insert(frame.end(), 32, 0x20);
    if (kind.ip_options) frame.insert(frame.end(), {protocol, static_cast<std::uint8_t>(kind.ip_options / 8 - 1)});
    if (kind.ip_options) frame.insert(frame.end(), kind.ip_options - 2, 1);
  } else {
    frame.insert(frame.end(), {static_cast<std::uint8_t>(0x45 + kind.ip_options / 4), 0});
    add16(frame, 20 + kind.ip_options + transport + bytes);
    add16(frame, id);
    frame.insert(frame.end(), {0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2});
    frame.insert(frame.end(), kind.ip_options, 1);
  }
  add16(frame, 1000), add16(frame, 443);
  if (kind.udp) {
    add16(frame, 8 + bytes), add16(frame, 0);
  } else {
    const auto sequence = static_cast<std::uint32_t>(0xffff'fc00 + place);  // it goes around
    add16(frame, sequence >> 16), add16(frame, sequence & 0xffff);
    frame.insert(frame.end(), {0, 0, 0, 1, static_cast<std::uint8_t>((5 + kind.tcp_options / 4) << 4), flags, 1, 0});
    frame.insert(frame.end(), {0, 0, 0, 0});
    frame.insert(frame.end(), kind.tcp_options, 1);
  }
  for (std::size_t i = 0; i < bytes; ++i) frame.push_back(static_cast<std::uint8_t>((place + i) * 7));
  return frame;
}

Frame view(const Bytes& frame, std::uint16_t link) {
  const auto size = static_cast<std::uint32_t>(frame.size());
  return {frame.data(), 77, size, size, link};
}

const Kind kKinds[] = {
    {},
    {.tags = {0x8100}},
    {.tags = {0x88a8, 0x8100}, .ipv6 = true},
    {.link = kLinkRaw},
    {.link = kLinkRaw, .ipv6 = true, .ip_options = 16},
    {.ip_options = 8, .tcp_options = 12},
    {.ipv6 = true, .tcp_options = 12},
    {.udp = true},
    {.ipv6 = true, .udp = true},
};

TEST(SegmentCut, GivesTheSegmentsThatWereThere) {
  for (const Kind& kind : kKinds) {
    for (const std::size_t payload : {101u, 200u, 201u, 1234u, 4000u}) {
      constexpr std::uint16_t kSize = 100;
      const Bytes whole = frame_of(kind, 0, payload, 0xfffe, kCwr | kAck | kPush | kFin);
      const auto cut = SegmentCut::of(view(whole, kind.link), {kSize, kind.udp});
      ASSERT_TRUE(cut) << (&kind - kKinds);
      ASSERT_EQ(cut->segments(), (payload + kSize - 1) / kSize);
      std::vector<std::uint8_t> room(cut->room(), 0xee);
      for (std::uint32_t i = 0; i < cut->segments(); ++i) {
        const std::size_t begin = std::size_t{i} * kSize, bytes = std::min<std::size_t>(kSize, payload - begin);
        const bool last = begin + bytes == payload;
        const auto flags = static_cast<std::uint8_t>(kAck | (i == 0 ? kCwr : 0) | (last ? kPush | kFin : 0));
        const Frame got = cut->segment(view(whole, kind.link), i, room.data() + cut->place(i));
        EXPECT_EQ(Bytes(got.data, got.data + got.captured),
                  frame_of(kind, begin, bytes, static_cast<std::uint16_t>(0xfffe + i), flags))
            << (&kind - kKinds) << ", segment " << i;
        EXPECT_EQ(got.original, got.captured);
        EXPECT_EQ(got.time_ns, 77);
        EXPECT_EQ(got.link, kind.link);
      }
    }
  }
}

TEST(SegmentCut, LeavesWhatIsOneSegmentOrNotKnown) {
  const auto is_cut = [](const Bytes& bytes, SegmentSize size, std::uint16_t link = kLinkEthernet) {
    return SegmentCut::of(view(bytes, link), size).has_value();
  };
  const Bytes tcp = frame_of({}, 0, 1000, 1, kAck);
  ASSERT_TRUE(is_cut(tcp, {100, false}));
  EXPECT_FALSE(is_cut(tcp, {1000, false})) << "one segment";
  EXPECT_FALSE(is_cut(tcp, {100, true})) << "no UDP";
  EXPECT_FALSE(is_cut(tcp, {31, false})) << "too many";
  EXPECT_FALSE(is_cut(tcp, {}));
  EXPECT_FALSE(is_cut(tcp, {100, false}, kLinkWlan));
  Bytes fragment = tcp, arp = tcp, version = tcp, header = tcp;
  fragment[14 + 6] = 0x20;
  arp[13] = 6;
  version[14] = 0x75;
  header[14 + 20 + 12] = 0x40;  // 16 bytes
  for (const Bytes& one : {fragment, arp, version, header}) EXPECT_FALSE(is_cut(one, {100, false}));
  for (const Kind& kind : kKinds) {  // cut off within any header
    const Bytes whole = frame_of(kind, 0, 300, 1, kAck);
    for (std::uint32_t captured = 0; captured + 300 < whole.size(); ++captured) {
      const Bytes head(whole.begin(), whole.begin() + captured);  // to its end, so that ASan sees what is behind
      const Frame frame{head.data(), 0, captured, static_cast<std::uint32_t>(whole.size()), kind.link};
      EXPECT_FALSE(SegmentCut::of(frame, {100, kind.udp})) << captured;
    }
  }
}

TEST(SegmentCut, SegmentsEndWhereTheCaptureDoes) {
  const Bytes bytes = frame_of({}, 0, 1000, 1, kAck);
  Frame whole = view(bytes, kLinkEthernet);
  whole.captured = 54 + 250;
  const auto cut = SegmentCut::of(whole, {100, false});
  ASSERT_TRUE(cut);
  std::vector<std::uint8_t> room(cut->room());
  std::vector<std::uint32_t> captured;
  for (std::uint32_t i = 0; i < cut->segments(); ++i) {
    const Frame got = cut->segment(whole, i, room.data() + cut->place(i));
    EXPECT_EQ(got.original, 154u);
    captured.push_back(got.captured - 54);
  }
  EXPECT_EQ(captured, (std::vector<std::uint32_t>{100, 100, 50, 0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace warpmeter::test
