// Blocks: segments of every kind come back as they were, field by field.
#include <gtest/gtest.h>

#include <map>

#include "packet/segments/block_decoder.h"
#include "packet/segments/block_encoder.h"
#include "support/segment_files.h"

namespace warpmeter {
namespace {

using test::FramedSegment;

std::vector<FramedSegment> decoded_block(const SegmentFileHeader& file, const BlockEncoder::Block& block) {
  BlockDecoder decoder;
  decoder.begin(file, block.header, block.payload.data());
  decoder.hash_flows(test::segment_hash_seed());
  std::vector<FramedSegment> all;
  while (!decoder.at_end()) {
    FramedSegment s;
    s.frame = decoder.next_frame();
    BlockDecoder::Flow& flow = decoder.next_flow();
    s.key = flow.key;
    EXPECT_EQ(flow.hash.hash, hash_flow(flow.key, test::segment_hash_seed()).hash);
    decoder.next(flow, s.segment);
    all.push_back(s);
  }
  EXPECT_EQ(all.size(), decoder.size());
  EXPECT_EQ(decoder.frames(), all.back().frame + 1);
  return all;
}

void encode_all(BlockEncoder& encoder, const std::vector<FramedSegment>& all) {
  for (const FramedSegment& s : all) {
    encoder.add(s.key, hash_flow(s.key, test::segment_hash_seed()).hash, s.segment, static_cast<std::uint32_t>(s.frame),
                false);
  }
}

struct Case {
  std::size_t segments;
  std::uint32_t conversations;
  std::int64_t unit;
};
class BlockRoundTrip : public testing::TestWithParam<Case> {};

TEST_P(BlockRoundTrip, GivesBackEveryField) {
  const Case& c = GetParam();
  BlockEncoder encoder(test::segment_hash_seed());
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {  // of one encoder, that starts over
    const auto all = test::RandomSegments(seed, c.conversations, c.unit).next_ones(c.segments);
    encode_all(encoder, all);
    EXPECT_FALSE(encoder.empty());
    const BlockEncoder::Block block = encoder.encode(17);
    EXPECT_TRUE(encoder.empty());
    EXPECT_EQ(block.header.row, 17u);
    EXPECT_EQ(block.header.segments, all.size());
    EXPECT_EQ(block.header.first_ns, all.front().segment.time_ns);
    if (all.size() > 1) {
      EXPECT_EQ(block.header.time_unit, c.unit);
    }
    EXPECT_EQ(decoded_block({}, block), all);
  }
}

INSTANTIATE_TEST_SUITE_P(Block, BlockRoundTrip,
                         testing::Values(Case{1, 1, 1}, Case{2, 1, 1}, Case{50, 3, 1'000}, Case{1000, 20, 1'000'000},
                                         Case{1025, 1000, 1}, Case{20'000, 5000, 1'000}, Case{20'000, 1, 1}));

TEST(BlockRoundTrip, OfEveryPartition) {
  const auto all = test::RandomSegments(5, 300).next_ones(3000);
  for (unsigned partitions = 1; partitions <= kShards; partitions *= 2) {
    std::size_t found = 0;
    for (unsigned p = 0; p < partitions; ++p) {
      const auto some = test::of_partition(all, p, partitions);
      if (some.empty()) continue;
      BlockEncoder encoder(test::segment_hash_seed());
      encode_all(encoder, some);
      SegmentFileHeader file;
      file.partition = static_cast<std::uint8_t>(p);
      file.partitions = static_cast<std::uint8_t>(partitions);
      ASSERT_EQ(decoded_block(file, encoder.encode(0)), some);
      found += some.size();
    }
    EXPECT_EQ(found, all.size());
  }
}

TEST(BlockRoundTrip, HashesDecideNothing) {
  const auto all = test::RandomSegments(6).next_ones(500);
  BlockEncoder encoder(test::segment_hash_seed()), other(HashSeed(99));
  encode_all(encoder, all);
  for (const FramedSegment& s : all) {
    other.add(s.key, hash_flow(s.key, HashSeed(99)).hash, s.segment, static_cast<std::uint32_t>(s.frame), false);
  }
  const auto a = encoder.encode(0), b = other.encode(0);
  EXPECT_EQ(a.header.checksum, b.header.checksum);
  EXPECT_TRUE(std::equal(a.payload.begin(), a.payload.end(), b.payload.begin(), b.payload.end()));
}

TEST(BlockRoundTrip, FlowThatGoesOnTakesFewBytes) {
  BlockEncoder encoder(test::segment_hash_seed());
  const FlowKey key = test::key_of({});
  TcpIdentity identity{};
  identity.offset = 0x50;
  Segment s;
  s.kind = kTcpSegment | kHasIdentity;
  s.flags = kAck;
  s.payload_length = 1460;
  s.length = 1500;
  for (std::uint32_t i = 0; i < 10'000; ++i) {
    s.identity_a = identity.a();
    s.identity_b = identity.b();
    encoder.add(key, hash_flow(key, test::segment_hash_seed()).hash, s, i, false);
    s.sequence += 1460;
    ++identity.id;
    s.time_ns += 1'000'000;
  }
  EXPECT_LT(encoder.encode(0).payload.size(), 500u);
}

TEST(BlockRoundTrip, TimesAsFarApartAsTheyCanBe) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  std::vector<FramedSegment> all;
  for (const std::int64_t time : {kFar, -kFar, kFar, std::int64_t{0}, -kFar, -kFar + 1, kFar}) {
    FramedSegment s{test::key_of({.protocol = kProtocolUdp}), {}, all.size()};
    s.segment.time_ns = time;
    s.segment.length = 40;
    all.push_back(s);
  }
  BlockEncoder encoder(test::segment_hash_seed());
  encode_all(encoder, all);
  EXPECT_EQ(decoded_block({}, encoder.encode(0)), all);
}

TEST(BlockRoundTrip, LastFrameOfTheLargestRow) {
  FramedSegment s = test::RandomSegments(1).next();
  s.frame = kMostRowFrames - 1;
  BlockEncoder encoder(test::segment_hash_seed());
  encode_all(encoder, {s});
  SegmentFileHeader file;
  file.row_frames = kMostRowFrames;
  EXPECT_EQ(decoded_block(file, encoder.encode(0)), std::vector{s});
}

}  // namespace
}  // namespace warpmeter
