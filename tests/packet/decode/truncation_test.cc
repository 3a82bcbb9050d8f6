// Frames of every link type and tunnel, cut after every byte and with every byte wrong: the decoder reads no byte that
// was not captured, and says what the oracle says.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "packet/decode/decoder.h"
#include "reference/link.h"
#include "reference/packet.h"
#include "support/fewer.h"
#include "support/guarded_bytes.h"
#include "support/held_frame.h"
#include "support/link_frames.h"
#include "support/tunnel_packets.h"

namespace warpmeter::test {
namespace {

constexpr std::size_t kMostBytes = 4096;

// Everything that is told of one frame, but for the bytes of its identity.
struct Reading {
  reference::FlowKey key{};
  std::int64_t length = 0;
  bool tcp = false;
  std::uint32_t sequence = 0;
  std::int64_t payload = 0;
  std::uint16_t window = 0;
  std::uint8_t flags = 0;
  bool has_identity = false;
  bool anonymous = false;

  bool operator==(const Reading&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Reading& r) {
  out << "version " << int{r.key.version} << " protocol " << int{r.key.protocol} << " ports " << r.key.source_port
      << ' ' << r.key.destination_port << " vlan " << r.key.vlan << " length " << r.length;
  if (r.tcp) out << " tcp " << r.sequence << ' ' << r.payload << ' ' << r.window << ' ' << int{r.flags};
  return out << " identity " << r.has_identity << " anonymous " << r.anonymous;
}

// Of a frame: most have one packet.
using Readings = std::vector<Reading>;

// What the program reads, once for each of two places of the same bytes.
class Program {
 public:
  explicit Program(bool decapsulate) : decoder_({.key_vlan = true, .decapsulate = decapsulate}, 1) {}

  Readings read(const Frame& frame) {
    FrameBlock block;
    block.frames.push_back(frame);
    counters_ = {};
    decoder_.decode(block, batch_, counters_);
    Readings all;
    for (std::uint32_t i = 0; i < batch_.count; ++i) all.push_back(reading(i));
    return all;
  }
  // Of what was read last.
  const DecodeCounters& counters() const { return counters_; }

 private:
  Reading reading(std::uint32_t i) const {
    Reading r;
    const FlowKey& key = batch_.key[i];
    const Segment& s = batch_.segment[i];
    EXPECT_EQ(s.frame, 0u);
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
    r.has_identity = s.kind & kHasIdentity;
    r.anonymous = s.kind & kAnonymous;
    return r;
  }

  const Decoder decoder_;
  SegmentBatch batch_{1};
  DecodeCounters counters_;
};

// What both count, but for bytes.
using Counts = std::array<std::uint64_t, 7>;

Counts counts_of(const DecodeCounters& counters) {
  const auto of = [&](Ignored why) { return counters.ignored[static_cast<std::size_t>(why)]; };
  return {of(Ignored::cut_short),      of(Ignored::not_ip),
          of(Ignored::bad_ip_version), of(Ignored::bad_ip_header_length),
          of(Ignored::bad_ip_length),  counters.short_transport_headers,
          counters.malformed_segments};
}

std::size_t place_of(reference::Ignored why) {
  switch (why) {
    case reference::Ignored::cut_short: return 0;
    case reference::Ignored::not_ip: return 1;
    case reference::Ignored::bad_version: return 2;
    case reference::Ignored::bad_header_length: return 3;
    default: return 4;
  }
}

Readings oracle_readings(const Frame& frame, bool decapsulate, Counts& counts) {
  reference::Options options;
  options.key_vlan = true;
  options.decapsulate = decapsulate;
  Readings all;
  counts = {};
  for (const auto& [packet, ignored] :
       reference::decode({0, frame.link, frame.original, reference::Bytes({frame.data, frame.captured})}, options)) {
    if (ignored) {
      ++counts[place_of(*ignored)];
      continue;
    }
    Reading r;
    r.key = packet.key;
    r.length = packet.length;
    r.tcp = packet.tcp.has_value();
    if (r.tcp) {
      r.sequence = packet.tcp->sequence, r.payload = packet.tcp->payload;
      r.window = packet.tcp->window, r.flags = packet.tcp->flags;
    }
    counts[5] += packet.transport == reference::Transport::too_short;
    counts[6] += packet.transport == reference::Transport::malformed;
    r.has_identity = !packet.identity.empty();
    r.anonymous = packet.anonymous;
    all.push_back(r);
  }
  return all;
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
  frames.push_back({"IPv6 length 0, UDP", 101, ip6({.next = 17, .payload_length = 0}, udp(1, 2, Bytes(70)))});
  frames.push_back({"jumbogram", 101,
                    ip6({.next = 0, .payload_length = 0}, Bytes{17, 0, 0xc2, 4, 0, 0, 0, 12} + udp(1, 2, Bytes(4)))});
  frames.push_back({"AH in IPv4", 101,
                    ip4({.protocol = 51}, Bytes{51, 1} + Bytes(10) + Bytes{6, 2} + Bytes(14) + tcp({}, Bytes(3)))});
  frames.push_back({"A-MSDU", 105, amsdu({snap(0x0800) + kIp4, snap(0x86dd) + kIp6, Bytes(5), snap(0x0800) + kIp4})});
  frames.push_back({"A-MSDU, the first without SNAP", 105, amsdu({Bytes(30), snap(0x86dd) + kIp6}) + Bytes(4)});
  return frames;
}

class Truncation : public testing::TestWithParam<bool> {
 protected:
  // The first `captured` bytes of a frame, in a heap buffer of that size and before a page that cannot be read.
  void expect_same(const NamedFrame& frame, std::size_t captured) {
    const HeldFrame held = HeldFrame::cut(frame.bytes, captured, frame.link);
    Counts counts;
    const Readings expected = oracle_readings(held.frame(), GetParam(), counts);
    ASSERT_EQ(expected, program_.read(held.frame())) << frame << ", cut after " << captured;
    ASSERT_EQ(counts, counts_of(program_.counters())) << frame << ", cut after " << captured;
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
    for (std::size_t at = 0; at < frame.bytes.size(); at += next_of_all()) {
      std::uint8_t& byte = frame.bytes[at];
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
    const Readings read = program.read(HeldFrame(frame.bytes, frame.link).frame());
    EXPECT_TRUE(read.size() == 1 && read[0].tcp) << frame;
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
      const Readings read = program.read(HeldFrame(frame.bytes).frame());
      EXPECT_EQ(read.at(0).key.source_port == 4444, depth <= 8) << frame;
    }
  }
}

}  // namespace
}  // namespace warpmeter::test
