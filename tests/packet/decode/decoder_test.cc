// Blocks of frames to batches of segments: numbers, times, counters, and no byte beyond the captured ones.
#include "packet/decode/decoder.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory_resource>
#include <tuple>
#include <vector>

#include "packet/decode/packet_filter.h"
#include "support/held_frame.h"
#include "support/link_frames.h"
#include "support/packets.h"
#include "support/same_segment.h"

namespace warpmeter::test {
namespace {

class DecoderTest : public testing::Test {
 protected:
  void add_cut(const Bytes& whole, std::size_t captured, std::uint16_t link = kLinkEthernet) {
    held_.push_back(HeldFrame::cut(whole, captured, link));
    held_.back().frame().time_ns = static_cast<std::int64_t>(held_.size()) * 100;
    block_.frames.push_back(held_.back().frame());
  }
  void add(const Bytes& whole, std::uint16_t link = kLinkEthernet) { add_cut(whole, whole.size(), link); }

  const SegmentBatch& decode(bool key_vlan = false, const PacketFilter* filter = nullptr) {
    Decoder({.key_vlan = key_vlan, .filter = filter}, 1).decode(block_, batch_, counters_);
    return batch_;
  }

  std::uint64_t ignored(Ignored why) const { return counters_.ignored[static_cast<int>(why)]; }

  std::deque<HeldFrame> held_;
  FrameBlock block_;
  SegmentBatch batch_{1024};
  DecodeCounters counters_;
};

const Bytes kTcp = ethernet(0x0800, ip4({}, tcp({})));
const Bytes kArp = ethernet(0x0806, Bytes(28));

TEST_F(DecoderTest, SegmentsKeepThePlaceAndTimeOfTheirFrame) {
  block_.first_number = 501;
  add(kTcp);
  add(kArp);
  add(kTcp);
  const SegmentBatch& batch = decode();
  ASSERT_EQ(batch.count, 2u);
  EXPECT_EQ(batch.first_number, 501u);
  EXPECT_EQ(batch.segment[0].frame, 0u);
  EXPECT_EQ(batch.segment[1].frame, 2u);
  EXPECT_EQ(batch.segment[0].time_ns, 100);
  EXPECT_EQ(batch.segment[1].time_ns, 300);
}

TEST_F(DecoderTest, AppendedFramesFollowThoseBefore) {
  add(kTcp);
  add(kArp);
  SegmentBatch batch(1);
  const Decoder decoder({}, 0);
  for (int i = 0; i < 3; ++i) decoder.append(block_, batch, counters_);
  ASSERT_EQ(batch.count, 3u);
  EXPECT_EQ(batch.frames, 6u);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(batch.segment[i].frame, 2 * i);
  EXPECT_EQ(counters_.frames, 6u);
  EXPECT_EQ(counters_.metered, 3u);
}

// Every segment lies in the batch that has its shard, as it would in the only one.
TEST_F(DecoderTest, BatchesShareTheSegmentsByTheirShards) {
  for (std::uint16_t port = 1; port <= 300; ++port) {
    add(kArp);
    add(ethernet(0x0800, ip4({.protocol = 17}, udp(port, 53))));
  }
  const Decoder decoder({}, 1);
  SegmentBatch whole(10);
  for (int i = 0; i < 2; ++i) decoder.append(block_, whole, counters_);
  for (const std::size_t shares : {1, 2, 3, 5, 64}) {
    std::vector<PackedBatch> batches;
    for (std::size_t share = 0; share < shares; ++share) batches.emplace_back(10, *std::pmr::new_delete_resource());
    DecodeCounters counters;
    for (int i = 0; i < 2; ++i) decoder.append(block_, batches, counters);
    EXPECT_EQ(counters.frames, 1200u);
    EXPECT_EQ(counters.metered, 600u);
    std::vector<std::uint32_t> next(shares);
    for (std::uint32_t i = 0; i < whole.count; ++i) {
      const unsigned share = share_of(whole.shard[i], shares);
      const PackedBatch& batch = batches[share];
      const std::uint32_t at = next[share]++;
      ASSERT_LT(at, batch.count);
      const KeyedSegment got = batch.span(at, at + 1).at(0);
      EXPECT_EQ(flow_key(got.key), whole.key[i]);
      EXPECT_TRUE(same_segment(got.segment, whole.segment[i]));
    }
    for (std::size_t share = 0; share < shares; ++share) {
      EXPECT_EQ(batches[share].count, next[share]);
      EXPECT_EQ(batches[share].frames, 1200u);
    }
  }
}

TEST_F(DecoderTest, EveryFrameIsCountedOnce) {
  Bytes wrong_version = kTcp, short_header = kTcp;
  wrong_version[14] = 0x65;
  short_header[14] = 0x44;
  add(kTcp);
  add(kArp);
  add_cut(kTcp, 20);
  add(wrong_version);
  add(short_header);
  add(ethernet(0x0800, ip4({.length = 10}, {})));
  add(kTcp, kUnknownLink);
  decode();
  EXPECT_EQ(counters_.frames, 7u);
  EXPECT_EQ(counters_.metered, 1u);
  for (const Ignored why : {Ignored::not_ip, Ignored::cut_short, Ignored::bad_ip_version, Ignored::bad_ip_header_length,
                            Ignored::bad_ip_length, Ignored::unknown_link_type}) {
    EXPECT_EQ(ignored(why), 1u) << kIgnoredNames[static_cast<int>(why)];
  }
}

TEST_F(DecoderTest, CountersAddUpOverBatches) {
  add(kTcp);
  decode();
  decode();
  EXPECT_EQ(counters_.frames, 2u);
  EXPECT_EQ(counters_.metered, 2u);
}

TEST_F(DecoderTest, VlanIdIsPartOfTheKeyOnRequestOnly) {
  add(ethernet(0x8100, vlan_tag(0x2abc, 0x0800) + ip4({}, tcp({}))));
  EXPECT_EQ(port_number(decode(false).key[0].vlan), 0);
  EXPECT_EQ(port_number(decode(true).key[0].vlan), 0xabc);
}

TEST_F(DecoderTest, HashAndShardAreThoseOfTheKey) {
  add(kTcp);
  const SegmentBatch& batch = decode();
  const FlowHash expected = hash_flow(batch.key[0], 1);
  EXPECT_EQ(batch.hash[0], expected.hash);
  EXPECT_EQ(batch.shard[0], expected.shard);
}

TEST_F(DecoderTest, FilteredFramesAreCounted) {
  if (!PacketFilter::available()) GTEST_SKIP() << "a build with libpcap (package libpcap-dev) runs this";
  const PacketFilter filter("udp");
  add(kTcp);
  add(ethernet(0x0800, ip4({17}, udp(1, 2))));
  add(kTcp, kUnknownLink);
  EXPECT_EQ(decode(false, &filter).count, 1u);
  EXPECT_EQ(ignored(Ignored::filtered_out), 1u);
  EXPECT_EQ(ignored(Ignored::unknown_link_type), 1u);
  EXPECT_EQ(counters_.ignored_bytes, 2 * kTcp.size());
}

// Half of the conversations, each with both directions; of ICMP with requests and replies.
TEST_F(DecoderTest, SampleHasBothDirectionsOfAConversation) {
  const std::uint8_t kProtocols[] = {kProtocolTcp, kProtocolUdp, kProtocolIcmp};
  for (std::uint8_t host = 1; host <= 100; ++host) {
    for (const std::uint8_t protocol : kProtocols) {
      const bool icmp = protocol == kProtocolIcmp;
      Bytes to = ethernet(0x0800, ip4({.protocol = protocol}, protocol == kProtocolTcp ? tcp({}) : udp(1000, 53)));
      Bytes back = to;
      if (icmp) to[34] = 8, back[34] = 0, to[35] = back[35] = 0;
      to[29] = back[33] = host;  // of 10.0.0.x
      for (int i = 26; i < 29; ++i) back[i + 4] = to[i], back[i] = to[i + 4];
      back[29] = to[33];
      for (int i = 34; i < 36 && !icmp; ++i) back[i + 2] = to[i], back[i] = to[i + 2];
      add(to);
      add(back);
    }
  }
  Decoder({.sample = {.one_in = 2}}, 1).decode(block_, batch_, counters_);
  EXPECT_EQ(counters_.frames, 600u);
  EXPECT_EQ(counters_.metered + ignored(Ignored::not_sampled), 600u);
  EXPECT_EQ(counters_.ignored_bytes > 0, ignored(Ignored::not_sampled) > 0);
  EXPECT_GT(batch_.count, 200u);
  EXPECT_LT(batch_.count, 400u);
  ASSERT_EQ(batch_.count % 2, 0u);
  for (std::uint32_t i = 0; i < batch_.count; i += 2) {
    EXPECT_EQ(batch_.segment[i].frame + 1, batch_.segment[i + 1].frame);
    EXPECT_EQ(batch_.segment[i].frame % 2, 0u);
  }
}

struct Layers {
  const char* name;
  std::uint16_t link;
  Bytes whole;
  std::size_t metered_from;  // captured bytes that are enough: all up to the end of the IP headers
};

std::vector<Layers> frames_to_cut() {
  const Bytes v4 = ip4({.options = Bytes(8)}, tcp({.header_words = 6}, Bytes(4)) + Bytes(10));
  const Bytes routing = Bytes{44, 1} + Bytes(14), fragment = {6, 0, 0, 1, 0, 0, 0, 1};
  const Bytes v6 = ip6({.next = 43}, routing + fragment + tcp({}) + Bytes(10));
  const Bytes snap = {0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00};
  return {
      {"tagged twice", 1, ethernet(0x88a8, vlan_tag(1, 0x8100) + vlan_tag(2, 0x0800) + v4), 14 + 8 + 28},
      {"pseudo-wire", 1, ethernet(0x8847, mpls_label(true) + Bytes(4) + ethernet(0x86dd, v6)), 14 + 4 + 4 + 14 + 64},
      {"PPPoE", 1, ethernet(0x8864, Bytes(6) + Bytes{0x00, 0x57} + v6), 14 + 8 + 64},
      {"SNAP", 1, ethernet(80, snap + v4), 14 + 8 + 28},
      {"cooked", 113, ByteWriter().u32(1).u16(6).zeros(8).u16(0x0800).bytes(v4).data(), 16 + 28},
      {"cooked 2", 276, ByteWriter().u16(0x86dd).u16(0).u32(2).u16(1).zeros(10).bytes(v6).data(), 20 + 64},
      {"raw", 101, v4, 28},
      {"raw IPv6", 229, v6, 64},
      {"UDP", 101, ip4({17}, udp(1, 2, Bytes(70))), 20},
      {"ICMP", 101, ip4({1}, Bytes(12)), 20},
      {"later fragment", 101, ip4({.protocol = 17, .fragment = 3}, Bytes(12)), 20},
  };
}

// Each in a buffer of exactly its size: a sanitizer sees the first byte too far.
TEST_F(DecoderTest, EveryCutOfEveryFrame) {
  for (const Layers& layers : frames_to_cut()) {
    for (std::size_t size = 0; size <= layers.whole.size(); ++size) {
      block_.clear();
      held_.clear();
      add_cut(layers.whole, size, layers.link);
      EXPECT_EQ(decode().count, size >= layers.metered_from ? 1u : 0u) << layers.name << ", " << size << " bytes";
    }
  }
}

// The same with every byte of the frame's headers replaced, so that lengths and types lead anywhere.
TEST_F(DecoderTest, WrongBytesLeadNowhereBeyondTheFrame) {
  for (const Layers& layers : frames_to_cut()) {
    for (std::size_t at = 0; at < layers.metered_from; ++at) {
      block_.clear();
      held_.clear();
      for (const std::uint8_t value : Bytes{0x00, 0x01, 0x0f, 0x2c, 0x33, 0x45, 0x60, 0x81, 0xff}) {
        Bytes wrong = layers.whole;
        wrong[at] = value;
        add(wrong, layers.link);
      }
      const std::uint64_t before = counters_.frames;
      decode();
      EXPECT_EQ(counters_.frames, before + 9);
      std::uint64_t ignored_in_all = 0;
      for (const std::uint64_t count : counters_.ignored) ignored_in_all += count;
      EXPECT_EQ(counters_.metered + ignored_in_all, counters_.frames);
      for (const Frame& frame : block_.frames) {
        EXPECT_LE(Decoder({}, 1).bytes_of_headers(frame), frame.captured);
        EXPECT_LE(Decoder({.decapsulate = true}, 1).bytes_of_headers(frame), frame.captured);
      }
    }
  }
}

// A packet cut behind its headers has the Flow Key, lengths and numbers of the whole one, and is not cut again.
TEST_F(DecoderTest, HeadersAloneAreEnough) {
  const Decoder decoder({}, 1);
  for (const Layers& layers : frames_to_cut()) {
    block_.clear();
    held_.clear();
    add(layers.whole, layers.link);
    const std::uint32_t kept = decoder.bytes_of_headers(block_.frames.front());
    EXPECT_LT(kept, layers.whole.size()) << layers.name;
    add_cut(layers.whole, kept, layers.link);
    EXPECT_EQ(decoder.bytes_of_headers(block_.frames.back()), kept) << layers.name;
    ASSERT_EQ(decode().count, 2u) << layers.name;
    EXPECT_EQ(batch_.key[0], batch_.key[1]) << layers.name;
    const auto facts = [](const Segment& s) {
      return is_tcp(s) ? std::tuple(s.length, s.payload_length, s.sequence, s.identity_a, s.identity_b)
                       : std::tuple(s.length, 0u, 0u, std::uint64_t{0}, 0u);
    };
    EXPECT_EQ(facts(batch_.segment[0]), facts(batch_.segment[1])) << layers.name;
  }
}

// ---- frames of several packets

const Bytes kTcp4 = snap(0x0800) + ip4({}, tcp({}));
const Bytes kOther = snap(0x0806) + Bytes(28);

TEST_F(DecoderTest, PacketsOfAFrameHaveItsNumber) {
  add(kTcp);
  add(amsdu({kTcp4, kOther, snap(0x86dd) + ip6({}, udp(1, 2, Bytes(3))), kTcp4}), kLinkWlan);
  add(kTcp);
  const SegmentBatch& batch = decode();
  ASSERT_EQ(batch.count, 5u);
  EXPECT_EQ(batch.frames, 3u);
  const std::uint32_t frames[] = {0, 1, 1, 1, 2};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(batch.segment[i].frame, frames[i]);
    EXPECT_EQ(batch.segment[i].time_ns, 100 * (frames[i] + 1));
  }
  EXPECT_EQ(counters_.frames, 3u);
  EXPECT_EQ(counters_.metered, 5u);
  EXPECT_EQ(ignored(Ignored::not_ip), 1u);
  EXPECT_EQ(counters_.ignored_bytes, 14 + kOther.size());
}

// Whatever batches it is decoded into, and in front of whatever comes behind it.
TEST_F(DecoderTest, BatchesGrowWithTheirPackets) {
  constexpr std::uint32_t kPackets = 1000;
  for (int i = 0; i < 3; ++i) {
    add(kTcp);
    add(amsdu(std::vector<Bytes>(kPackets, kTcp4)), kLinkWlan);
  }
  for (int i = 0; i < 100; ++i) add(kTcp);
  constexpr std::uint32_t kAll = 3 * (kPackets + 1) + 100;
  const Decoder decoder({}, 1);
  SegmentBatch segments(1);
  segments.reset(1);
  PayloadBatch payloads(1);
  payloads.reset(1);
  std::vector<PackedBatch> packed;
  for (int i = 0; i < 3; ++i) packed.emplace_back(64, *std::pmr::get_default_resource());
  for (PackedBatch& batch : packed) batch.reset(1);
  decoder.append(block_, std::span(&segments, 1), counters_);
  decoder.append(block_, std::span(&payloads, 1), counters_);
  decoder.append(block_, packed, counters_);
  EXPECT_EQ(segments.count, kAll);
  EXPECT_EQ(payloads.count, kAll);
  std::uint32_t in_packed = 0;
  for (const PackedBatch& batch : packed) in_packed += batch.count;
  EXPECT_EQ(in_packed, kAll);
  EXPECT_EQ(counters_.metered, 3 * kAll);
  for (std::uint32_t i = 0; i < kAll; ++i) EXPECT_EQ(segments.segment[i].frame, payloads.segment[i].frame);
  EXPECT_EQ(segments.segment[kAll - 1].frame, 105u);
}

TEST_F(DecoderTest, MsdusAreInTheVlanOfTheirFrame) {
  const Bytes tagged = snap(0x8100) + vlan_tag(9, 0x0800) + ip4({}, tcp({}));
  add(amsdu({kTcp4, tagged, kTcp4}), kLinkWlan);
  const SegmentBatch& batch = decode(true);
  ASSERT_EQ(batch.count, 3u);
  EXPECT_EQ(port_number(batch.key[0].vlan), 0);
  EXPECT_EQ(port_number(batch.key[1].vlan), 9);
  EXPECT_EQ(port_number(batch.key[2].vlan), 0);
}

TEST_F(DecoderTest, HeadersOfTheLastMsduAreTheLast) {
  const Bytes long_tcp = snap(0x0800) + ip4({}, tcp({}, Bytes(500)));
  add(amsdu({kTcp4, long_tcp, kOther}), kLinkWlan);
  const std::uint32_t kept = Decoder({}, 1).bytes_of_headers(block_.frames.front());
  add_cut(amsdu({kTcp4, long_tcp, kOther}), kept, kLinkWlan);
  const SegmentBatch& batch = decode();
  ASSERT_EQ(batch.count, 4u);
  EXPECT_EQ(batch.segment[3].payload_length, 500u);
}

// Of 802.11 in GRE, as Aruba's controllers have it.
Bytes in_aruba(const Bytes& frame) {
  return ip4({.protocol = 47, .id = 5}, ByteWriter().u16(0).u16(0x8200).bytes(frame).data());
}
const Bytes kUdp4 = snap(0x0800) + ip4({.protocol = 17}, udp(7, 9, Bytes(3)));

class DecapsulatedMsdus : public DecoderTest {
 protected:
  // Protocols of what is metered.
  std::vector<int> protocols() {
    Decoder({.decapsulate = true}, 1).decode(block_, batch_, counters_);
    std::vector<int> all;
    for (std::uint32_t i = 0; i < batch_.count; ++i) all.push_back(batch_.key[i].protocol);
    return all;
  }
};

TEST_F(DecapsulatedMsdus, AllThatCanBeReadAreTaken) {
  add(in_aruba(amsdu({kTcp4, kOther, kUdp4})), kLinkRaw);
  EXPECT_EQ(protocols(), (std::vector<int>{6, 17}));
  EXPECT_EQ(counters_.decapsulated, 2u);
  EXPECT_EQ(ignored(Ignored::not_ip), 0u);
  EXPECT_EQ(counters_.frames, 1u);
}

TEST_F(DecapsulatedMsdus, IfNoneCanTheTunnelIs) {
  add(in_aruba(amsdu({kOther, kOther})), kLinkRaw);
  EXPECT_EQ(protocols(), std::vector<int>{47});
  EXPECT_EQ(counters_.decapsulated, 0u);
}

TEST_F(DecapsulatedMsdus, InTunnelsOfMsdus) {
  const Bytes inner = snap(0x0800) + in_aruba(amsdu({kTcp4, kUdp4}));
  const Bytes closed = snap(0x0800) + in_aruba(amsdu({kOther}));
  add(amsdu({kUdp4, inner, closed, inner}), kLinkWlan);
  EXPECT_EQ(protocols(), (std::vector<int>{17, 6, 17, 47, 6, 17}));
  for (std::uint32_t i = 0; i < batch_.count; ++i) EXPECT_EQ(batch_.segment[i].frame, 0u);
}

TEST_F(DecapsulatedMsdus, EightTunnelsDeepAndNoDeeper) {
  for (const int depth : {8, 9}) {
    Bytes llc = kTcp4;
    for (int i = 0; i < depth; ++i) llc = snap(0x0800) + in_aruba(amsdu({llc, kUdp4}));
    add(amsdu({llc}), kLinkWlan);
  }
  std::vector<int> expected{6};
  expected.insert(expected.end(), 8, 17);
  expected.push_back(47);
  expected.insert(expected.end(), 8, 17);
  EXPECT_EQ(protocols(), expected);
}

}  // namespace
}  // namespace warpmeter::test
