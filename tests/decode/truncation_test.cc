// Frames of every link type and tunnel, cut after every byte and with every byte wrong: the decoder reads no byte that
// was not captured, and says what the oracle says.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "decode/decoder.h"
#include "reference/link.h"
#include "reference/packet.h"
#include "support/guarded_bytes.h"
#include "support/held_frame.h"
#include "support/link_frames.h"
#include "support/tunnel_packets.h"

namespace warpmeter::test {
namespace {

constexpr std::size_t kMostBytes = 4096;

// Everything that is told of one frame, but for the bytes of its identity.
struct Reading {
  int ignored = -1;  // reference::Ignored
  reference::FlowKey key{};
  std::int64_t length = 0;
  bool tcp = false;
  std::uint32_t sequence = 0;
  std::int64_t payload = 0;
  std::uint16_t window = 0;
  std::uint8_t flags = 0;
  bool too_short = false;
  bool malformed = false;
  bool has_identity = false;
  bool anonymous = false;

  bool operator==(const Reading&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Reading& r) {
  if (r.ignored >= 0) return out << "ignored " << r.ignored;
  out << "version " << int{r.key.version} << " protocol " << int{r.key.protocol} << " ports " << r.key.source_port
      << ' ' << r.key.destination_port << " vlan " << r.key.vlan << " length " << r.length;
  if (r.tcp) out << " tcp " << r.sequence << ' ' << r.payload << ' ' << r.window << ' ' << int{r.flags};
  return out << " short " << r.too_short << " malformed " << r.malformed << " identity " << r.has_identity
             << " anonymous " << r.anonymous;
}

reference::Ignored reason_of(const DecodeCounters& counters) {
  using reference::Ignored;
  const auto counted = [&](warpmeter::Ignored why) { return counters.ignored[static_cast<std::size_t>(why)] > 0; };
  if (counted(warpmeter::Ignored::cut_short)) return Ignored::cut_short;
  if (counted(warpmeter::Ignored::bad_ip_version)) return Ignored::bad_version;
  if (counted(warpmeter::Ignored::bad_ip_header_length)) return Ignored::bad_header_length;
  if (counted(warpmeter::Ignored::bad_ip_length)) return Ignored::bad_length;
  EXPECT_TRUE(counted(warpmeter::Ignored::not_ip));
  return Ignored::not_ip;
}

// What the program reads, once for each of two places of the same bytes.
class Program {
 public:
  explicit Program(bool decapsulate) : decoder_({.key_vlan = true, .decapsulate = decapsulate}, 1) {}

  Reading read(const Frame& frame) {
    FrameBlock block;
    block.frames.push_back(frame);
    DecodeCounters counters;
    decoder_.decode(block, batch_, counters);
    Reading r;
    if (batch_.count == 0) return r.ignored = static_cast<int>(reason_of(counters)), r;
    const FlowKey& key = batch_.key[0];
    const Segment& s = batch_.segment[0];
    r.key.version = key.version;
    std::copy_n(key.source, 16, r.key.source.begin());
    std::copy_n(key.destination, 16, r.key.destination.begin());
    r.key.source_port = port_number(key.source_port);
    r.key.destination_port = port_number(key.destination_port);
    r.key.protocol = key.protocol;
    r.key.vlan = port_number(key.vlan);
    r.length = s.length;
    r.tcp = s.kind & kTcpSegment;
    if (r.tcp) r.sequence = s.sequence, r.payload = s.payload_length, r.window = s.window, r.flags = s.flags;
    r.too_short = counters.short_transport_headers > 0;
    r.malformed = counters.malformed_segments > 0;
    r.has_identity = s.kind & kHasIdentity;
    r.anonymous = s.kind & kAnonymous;
    return r;
  }

 private:
  const Decoder decoder_;
  SegmentBatch batch_{1};
};

Reading oracle_reading(const Frame& frame, bool decapsulate) {
  reference::Options options;
  options.key_vlan = true;
  options.decapsulate = decapsulate;
  Reading r;
  try {
    const reference::Packet packet =
        reference::decode({0, frame.link, frame.original, reference::Bytes({frame.data, frame.captured})}, options);
    r.key = packet.key;
    r.length = packet.length;
    r.tcp = packet.tcp.has_value();
    if (r.tcp) {
      r.sequence = packet.tcp->sequence, r.payload = packet.tcp->payload;
      r.window = packet.tcp->window, r.flags = packet.tcp->flags;
    }
    r.too_short = packet.transport == reference::Transport::too_short;
    r.malformed = packet.transport == reference::Transport::malformed;
    r.has_identity = !packet.identity.empty();
    r.anonymous = packet.anonymous;
  } catch (const reference::IgnoredFrame& ignored) {
    r.ignored = static_cast<int>(ignored.reason);
  }
  return r;
}

const Bytes kIp4 = ip4({.options = Bytes(4, 1)}, tcp({.header_words = 6}, Bytes(4, 1) + Bytes(3)));
// Behind hop-by-hop options, a routing, a fragment and an authentication header, and destination options.
const Bytes kExtensions = Bytes{43, 0} + Bytes(6) + Bytes{44, 1} + Bytes(14) + Bytes{51, 0, 0, 1} + Bytes(4) +
                          Bytes{60, 1} + Bytes(10) + Bytes{6, 0} + Bytes(6);
const Bytes kIp6 = ip6({.next = 0}, kExtensions + tcp({}, Bytes(3)));

// TCP in one frame, or one tunnel, of every kind.
std::vector<NamedFrame> plain_frames() {
  std::vector<NamedFrame> frames = line_frames(kIp4, kIp6);
  for (const auto& more : {host_frames(kIp4, kIp6), tunnel_frames(kIp4, kIp6)})
    frames.insert(frames.end(), more.begin(), more.end());
  return frames;
}

std::vector<NamedFrame> all_frames() {
  std::vector<NamedFrame> frames = plain_frames();
  for (const std::size_t depth : {2, 7, 8, 9, 10})
    for (const std::size_t first : {0, 1, 7}) frames.push_back(nested_frame(first % 2 ? kIp6 : kIp4, depth, first));
  const Bytes netlink = ByteWriter().u16(0).u16(824).u16(6).zeros(8).u16(0x0800).data();
  frames.push_back({"cooked, of a netlink interface", 113, netlink + kIp4});
  frames.push_back({"ICMP", 101, ip4({.protocol = 1}, Bytes(12))});
  frames.push_back({"UDP", 101, ip4({.protocol = 17}, udp(1, 2, Bytes(70)))});
  frames.push_back({"IPv4 length 0", 101, ip4({.length = 0}, tcp({}, Bytes(3)))});
  frames.push_back({"IPv6 length 0", 101, ip6({.payload_length = 0}, tcp({}, Bytes(3)))});
  return frames;
}

class Truncation : public testing::TestWithParam<bool> {
 protected:
  // The first `captured` bytes of a frame, in a heap buffer of that size and before a page that cannot be read.
  void expect_same(const NamedFrame& frame, std::size_t captured) {
    const HeldFrame held = HeldFrame::cut(frame.bytes, captured, frame.link);
    const Reading expected = oracle_reading(held.frame(), GetParam());
    ASSERT_EQ(expected, program_.read(held.frame())) << frame << ", cut after " << captured;
    Frame guarded = held.frame();
    guarded.data = guard_.hold({frame.bytes.data(), captured});
    ASSERT_EQ(expected, program_.read(guarded)) << frame << ", cut after " << captured << " at the end of a page";
  }

  Program program_{GetParam()};
  GuardedBytes guard_{kMostBytes};
};

TEST_P(Truncation, EveryCutFrameIsReadLikeTheOracleReadsIt) {
  for (const NamedFrame& frame : all_frames()) {
    ASSERT_LE(frame.bytes.size(), kMostBytes);
    for (std::size_t captured = 0; captured <= frame.bytes.size(); ++captured) {
      expect_same(frame, captured);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Truncation, EveryWrongByteIsReadLikeTheOracleReadsIt) {
  for (NamedFrame frame : all_frames()) {
    for (std::uint8_t& byte : frame.bytes) {
      const std::uint8_t right = byte;
      for (const int wrong : {0x00, 0xff, right + 1}) {
        byte = static_cast<std::uint8_t>(wrong);
        expect_same(frame, frame.bytes.size());
        if (HasFatalFailure()) return;
      }
      byte = right;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Decapsulate, Truncation, testing::Bool());

// The frames are what they are taken for.
TEST(TruncationFrames, HoldTcpOverEveryLinkType) {
  std::set<std::uint32_t> links;
  Program program(true);
  for (const NamedFrame& frame : plain_frames()) {
    EXPECT_TRUE(program.read(HeldFrame(frame.bytes, frame.link).frame()).tcp) << frame;
    links.insert(frame.link);
  }
  for (const std::uint32_t link : reference::known_links) EXPECT_TRUE(links.contains(link)) << link;
}

TEST(TruncationFrames, InnerPacketsAreFoundEightTunnelsDeep) {
  const Bytes packet = ip4({}, tcp({.source_port = 4444}));
  Program program(true);
  for (const std::size_t kind : {0, 3, 11}) {
    for (const std::size_t depth : {1, 2, 8, 9}) {
      const NamedFrame frame = nested_frame(packet, depth, kind);
      EXPECT_EQ(program.read(HeldFrame(frame.bytes).frame()).key.source_port == 4444, depth <= 8) << frame;
    }
  }
}

}  // namespace
}  // namespace warpmeter::test
