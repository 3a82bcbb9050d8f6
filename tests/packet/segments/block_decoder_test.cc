// Blocks that somebody made, with right checksums: an Error, never what no packet has, nor memory without end.
#include "packet/segments/block_decoder.h"

#include <gtest/gtest.h>

#include "packet/segments/block_encoder.h"
#include "support/guarded_bytes.h"
#include "support/segment_files.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::FramedSegment;
using test::thrown_text;

struct MadeBlock {
  SegmentFileHeader file;
  SegmentBlockHeader header;
  Bytes payload;

  void set_checksum() {
    header.payload_bytes = payload.size();
    header.checksum = checksum_of(header, payload.data());
  }
  // What reading it to its end says; "" if that is fine.
  std::string problem() {
    set_checksum();
    test::GuardedBytes guarded(std::max<std::size_t>(payload.size(), 1));
    const std::uint8_t* const held = guarded.hold(payload);
    return thrown_text([&] {
      BlockDecoder decoder;
      decoder.begin(file, header, held);
      decoder.hash_flows(test::segment_hash_seed());
      Segment s;
      while (!decoder.at_end()) {
        EXPECT_LT(decoder.next_frame(), file.row_frames);
        decoder.next(decoder.next_flow(), s);
        EXPECT_LE(s.kind, 7);
        EXPECT_LE(s.payload_length, s.length);
        EXPECT_LE(std::abs(s.time_ns), std::int64_t{1} << 62);
      }
    });
  }
};

MadeBlock block_of(const std::vector<FramedSegment>& all) {
  BlockEncoder encoder(test::segment_hash_seed());
  for (const FramedSegment& s : all) {
    encoder.add(s.key, hash_flow(s.key, test::segment_hash_seed()).hash, s.segment, static_cast<std::uint32_t>(s.frame),
                false);
  }
  const BlockEncoder::Block block = encoder.encode(0);
  return {{}, block.header, {block.payload.begin(), block.payload.end()}};
}

std::string problem_of(const FramedSegment& s) { return block_of({s}).problem(); }

FramedSegment sound_segment(std::uint8_t protocol = kProtocolTcp) {
  FramedSegment s{test::key_of({.protocol = protocol}), {}, 0};
  s.segment.kind = protocol == kProtocolTcp ? kTcpSegment | kHasIdentity : kHasIdentity;
  s.segment.identity_b = 0x50;
  s.segment.length = 40;
  return s;
}

constexpr const char* kColumn = "a column makes no sense";
constexpr const char* kHeader = "its header makes no sense";

TEST(BlockDecoder, SoundSegmentsAreFine) {
  EXPECT_EQ(problem_of(sound_segment()), "");
  EXPECT_EQ(problem_of(sound_segment(kProtocolUdp)), "");
}

TEST(BlockDecoder, RefusesAnotherChecksum) {
  MadeBlock block = block_of({sound_segment()});
  BlockDecoder decoder;
  block.header.first_ns ^= 1;
  EXPECT_EQ(thrown_text([&] { decoder.begin(block.file, block.header, block.payload.data()); }),
            "its checksum is wrong");
}

TEST(BlockDecoder, RefusesHeadersThatMakeNoSense) {
  const auto all = test::RandomSegments(1).next_ones(100);
  const auto refused = [&](const auto& change) {
    MadeBlock block = block_of(all);
    change(block);
    return block.problem();
  };
  EXPECT_EQ(refused([](MadeBlock& b) { b.header.segments = kMostRowSegments + 1; }), kHeader);
  EXPECT_EQ(refused([](MadeBlock& b) { b.header.segments = ~0u; }), kHeader);
  EXPECT_EQ(refused([](MadeBlock& b) { b.header.first_tcp = 101; }), kHeader);
  EXPECT_EQ(refused([](MadeBlock& b) { b.header.first_tcp = b.header.next_tcp = 1u << 31; }), kHeader);
  EXPECT_EQ(refused([](MadeBlock& b) { b.header.conversations = 101; }), kHeader);
  EXPECT_EQ(refused([](MadeBlock& b) { b.header.time_unit = 0; }), kHeader);
  EXPECT_EQ(refused([](MadeBlock& b) { b.header.time_unit = 10; }), kHeader);
  EXPECT_EQ(refused([](MadeBlock& b) { b.file.row_frames = 0; }), kHeader);
  EXPECT_EQ(refused([](MadeBlock& b) { b.file.row_frames = 99; }), "frames lie beyond their row");
  EXPECT_EQ(refused([](MadeBlock& b) { b.file.row_frames = 100; }), "frames lie beyond their row");
  EXPECT_EQ(refused([](MadeBlock& b) { b.payload.push_back(0); }), kColumn);
  EXPECT_EQ(refused([](MadeBlock& b) { b.payload.clear(); }), kColumn);
  EXPECT_EQ(refused([](MadeBlock& b) { b.header.first_ns = (std::int64_t{1} << 62) + 10'000'000'000; }), kColumn);
}

TEST(BlockDecoder, RefusesOtherCounts) {
  const auto all = test::RandomSegments(1).next_ones(100);
  for (std::uint32_t SegmentBlockHeader::*const count :
       {&SegmentBlockHeader::segments, &SegmentBlockHeader::first_tcp, &SegmentBlockHeader::next_tcp,
        &SegmentBlockHeader::conversations}) {
    for (const std::uint32_t change : {1u, ~0u}) {
      MadeBlock block = block_of(all);
      block.header.*count += change;
      EXPECT_NE(block.problem(), "");
    }
  }
}

TEST(BlockDecoder, RefusesKindsThatAreNone) {
  for (const unsigned bit : {16u, 32u, 64u, 128u}) {  // 8 says something of the frame
    FramedSegment s = sound_segment();
    s.segment.kind |= static_cast<std::uint8_t>(bit);
    EXPECT_EQ(problem_of(s), kColumn);
    FramedSegment other = sound_segment(kProtocolUdp);
    other.segment.kind |= static_cast<std::uint8_t>(bit);
    EXPECT_EQ(problem_of(other), kColumn);
  }
}

TEST(BlockDecoder, RefusesTcpOfOtherProtocols) {
  FramedSegment s = sound_segment(kProtocolUdp);
  s.segment.kind |= kTcpSegment;
  EXPECT_EQ(problem_of(s), kColumn);
}

TEST(BlockDecoder, RefusesMorePayloadThanPacket) {
  FramedSegment s = sound_segment();
  s.segment.payload_length = 41;
  EXPECT_EQ(problem_of(s), kColumn);
  FramedSegment other = sound_segment(kProtocolUdp);
  other.segment.payload_length = 41;
  EXPECT_EQ(problem_of(other), kColumn);
}

TEST(BlockDecoder, RefusesTimesBeyondAll) {
  FramedSegment s = sound_segment();
  s.segment.time_ns = (std::int64_t{1} << 62) + 1;
  EXPECT_EQ(problem_of(s), kColumn);
  s.segment.time_ns = -s.segment.time_ns;
  EXPECT_EQ(problem_of(s), kColumn);
}

TEST(BlockDecoder, RefusesKeysThatMakeNoSense) {
  constexpr const char* kKey = "a Flow Key makes no sense";
  for (const unsigned version : {0u, 5u, 7u, 255u}) {
    FramedSegment s = sound_segment();
    s.key.version = static_cast<std::uint8_t>(version);
    EXPECT_EQ(problem_of(s), kKey);
  }
  for (std::size_t i = 4; i < 16; ++i) {  // of IPv4 they are nothing
    FramedSegment s = sound_segment();
    s.key.source[i] = 1;
    EXPECT_EQ(problem_of(s), kKey) << i;
    FramedSegment other = sound_segment();
    other.key.destination[i] = 1;
    EXPECT_EQ(problem_of(other), kKey) << i;
  }
}

TEST(BlockDecoder, RefusesKeysOfAnotherPartition) {
  MadeBlock block = block_of({sound_segment()});
  block.file.partitions = 64;
  const unsigned own = test::partition_of(sound_segment().key, 64);
  for (unsigned p = 0; p < 64; ++p) {
    block.file.partition = static_cast<std::uint8_t>(p);
    EXPECT_EQ(block.problem(), p == own ? "" : "a Flow Key belongs to another partition");
  }
}

// Columns by hand: one segment of a flow that is there in no conversation.
TEST(BlockDecoder, RefusesFlowsThatAreNone) {
  MadeBlock block = block_of({sound_segment(kProtocolUdp)});
  // All planes of one segment are alike, two bytes each: those of the key (40), frame (4), time (8), then the flow.
  const std::size_t flow = 8 + 2 * (40 + 4 + 8);
  EXPECT_EQ(block.payload.at(flow), 0);
  block.payload.at(flow + 1) = 1;
  EXPECT_EQ(block.problem(), "");
  block.payload.at(flow + 1) = 2;
  EXPECT_EQ(block.problem(), kColumn);
  block.payload.at(flow + 1) = 255;
  EXPECT_EQ(block.problem(), kColumn);
}

TEST(BlockDecoder, RefusesFramesThatWrap) {
  std::vector all{sound_segment(), sound_segment(), sound_segment()};
  for (std::size_t i = 0; i < all.size(); ++i) all[i].frame = 6 - 2 * i;
  EXPECT_EQ(block_of(all).problem(), "frames lie beyond their row");  // each behind the one before, modulo 2^32
  all.resize(1);
  all[0].frame = ~std::uint32_t{0};
  EXPECT_EQ(block_of(all).problem(), "frames lie beyond their row");
}

// Packets of one frame, as of an A-MSDU.
TEST(BlockDecoder, SegmentsMayShareAFrame) {
  std::vector<FramedSegment> all;
  for (const std::uint32_t frame : {0u, 0u, 3u, 4u, 4u, 4u, 9u}) {
    all.push_back(sound_segment());
    all.back().frame = frame;
  }
  MadeBlock block = block_of(all);
  block.file.row_frames = 10;
  EXPECT_EQ(block.problem(), "");
  block.file.row_frames = 9;
  EXPECT_EQ(block.problem(), "frames lie beyond their row");
}

// Every byte of a block of all kinds, changed: an Error or other segments, but sound ones, and nothing beyond its end.
TEST(BlockDecoder, AnyByteMayBeWrong) {
  const MadeBlock sound = block_of(test::RandomSegments(2, 8).next_ones(40));
  for (std::size_t at = 0; at < sound.payload.size(); ++at) {
    for (const unsigned change : {1u, 4u, 128u, 255u}) {
      MadeBlock block = sound;
      block.payload[at] ^= static_cast<std::uint8_t>(change);
      block.problem();
    }
  }
  for (std::size_t size = 0; size < sound.payload.size(); ++size) {
    MadeBlock block = sound;
    block.payload.resize(size);
    EXPECT_NE(block.problem(), "");
  }
}

}  // namespace
}  // namespace warpmeter
