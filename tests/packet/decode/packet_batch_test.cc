// Packets decoded once for meter and streams: each finds what it would alone.
#include "core/packet_batch.h"

#include <gtest/gtest.h>

#include <deque>

#include "packet/decode/decoder.h"
#include "support/held_frame.h"
#include "support/packets.h"
#include "support/same_segment.h"

namespace warpmeter::test {
namespace {

// Connections of many ports, by the short way through the decoder and by the long one, UDP and what is not IP.
class DecodedForStreams : public testing::Test {
 protected:
  DecodedForStreams() {
    for (std::uint16_t port = 1; port <= 200; ++port) {
      const Bytes plain = tcp({.source_port = port}, Bytes(port % 7, 9));
      add(ethernet(0x0800, ip4({}, plain)));
      add(ethernet(0x0800, ip4({.options = Bytes(4, 1)}, plain)));
      add(ethernet(0x8100, vlan_tag(7, 0x0800) + ip4({.options = Bytes(4, 1)}, plain)));
      add(ethernet(0x0800, ip4({.protocol = 17}, udp(port, 53))));
      add(ethernet(0x0806, Bytes(28)));
    }
  }

  void add(const Bytes& whole) {
    held_.push_back(HeldFrame::cut(whole, whole.size(), kLinkEthernet));
    held_.back().frame().time_ns = static_cast<std::int64_t>(held_.size()) * 100;
    block_.frames.push_back(held_.back().frame());
  }
  PacketBatch packets(const DecodeOptions& options) {
    PacketBatch batch(1, true);
    Decoder(options, 1).append(block_, batch, counters_);
    return batch;
  }

  std::deque<HeldFrame> held_;
  FrameBlock block_;
  DecodeCounters counters_;
};

bool same_payload(const PayloadBatch& a, const PayloadBatch& b) {
  if (a.count != b.count) return false;
  for (std::uint32_t i = 0; i < a.count; ++i) {
    const PayloadSegment &x = a.segment[i], &y = b.segment[i];
    if (a.shard[i] != b.shard[i] || x.hash != y.hash || x.data != y.data || x.captured != y.captured ||
        x.sequence != y.sequence || x.time_ns != y.time_ns || x.frame != y.frame || x.in_frame != y.in_frame)
      return false;
  }
  return true;
}

// Both at once are what each is alone, also where Flow Keys have VLAN ids: connections have none.
TEST_F(DecodedForStreams, ColumnsAreThoseOfTwoBatches) {
  for (const bool key_vlan : {false, true}) {
    const PacketBatch both = packets({.key_vlan = key_vlan});
    SegmentBatch segments(1);
    PayloadBatch payloads(1);
    DecodeCounters counters;
    Decoder({.key_vlan = key_vlan}, 1).append(block_, segments, counters);
    Decoder({}, 1).append(block_, std::span(&payloads, 1), counters);
    ASSERT_EQ(both.count, 800u);
    ASSERT_EQ(segments.count, 800u);
    for (std::uint32_t i = 0; i < both.count; ++i) {
      EXPECT_TRUE(same_segment(both.segment[i], segments.segment[i]));
      EXPECT_EQ(compare(both.key[i], segments.key[i]), 0);
      EXPECT_EQ(both.shard[i], segments.shard[i]);
      EXPECT_EQ(both.hash[i], segments.hash[i]);
    }
    EXPECT_EQ(payloads.count, 600u);
    EXPECT_TRUE(same_payload(both.payload, payloads)) << key_vlan;
  }
}

TEST_F(DecodedForStreams, SampleLeavesNoPayloadOut) {
  const PacketBatch all = packets({}), some = packets({.sample = {.one_in = 4}});
  EXPECT_LT(some.count, all.count / 2);
  EXPECT_GT(some.count, 0u);
  EXPECT_EQ(counters_.ignored[static_cast<int>(Ignored::not_sampled)], all.count - some.count);
  EXPECT_TRUE(same_payload(some.payload, all.payload));
}

TEST_F(DecodedForStreams, WithoutStreamsThereIsNoPayload) {
  PacketBatch batch(1, false);
  Decoder({}, 1).append(block_, batch, counters_);
  EXPECT_EQ(batch.count, 800u);
  EXPECT_EQ(batch.payload.count, 0u);
  EXPECT_EQ(batch.payload.capacity, 0u);
}

}  // namespace
}  // namespace warpmeter::test
