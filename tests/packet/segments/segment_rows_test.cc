// Blocks of a row as the Metering Process gets them: one after the other, or several as if they were one.
#include "packet/segments/segment_trace.h"

#include <gtest/gtest.h>

#include <memory_resource>

#include "support/segment_files.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::FramedSegment;

constexpr std::uint32_t kWholeRow = 4096;

// Files of one row in memory, each with its block.
struct RowFiles {
  RowFiles(const std::vector<FramedSegment>& all, unsigned partitions) {
    SegmentFileHeader header;
    header.row_frames = kWholeRow;
    header.partitions = static_cast<std::uint8_t>(partitions);
    for (unsigned p = 0; p < partitions; ++p) {
      header.partition = static_cast<std::uint8_t>(p);
      add(test::segment_file(header, all, test::facts_of(all)));
    }
  }
  void add(const test::Bytes& file) {
    bytes.push_back(std::make_unique<test::Bytes>(file));
    const std::string name = "file " + std::to_string(files.size() + 1);
    files.push_back(
        std::make_unique<SegmentFile>(name, std::make_shared<RegularFile>(bytes.back()->data(), bytes.back()->size())));
  }
  void add_to(SegmentRows& rows) {
    rows.begin(kWholeRow);
    for (const auto& file : files) {
      SegmentFile::Block block;
      if (file->next(block)) rows.add(*file, block, kWholeRow);
    }
  }

  std::vector<std::unique_ptr<test::Bytes>> bytes;
  std::vector<std::unique_ptr<SegmentFile>> files;
};

TEST(SegmentRows, SeveralBlocksAreAsOne) {
  const auto all = test::RandomSegments(1, 200).next_ones(1000);
  for (unsigned partitions = 1; partitions <= kShards; partitions *= 4) {
    RowFiles files(all, partitions);
    SegmentRows rows;
    files.add_to(rows);
    SegmentBatch batch(10);
    DecodeCounters counters;
    for (std::uint32_t before = 0; before < 2 * kWholeRow; before += kWholeRow) {
      const std::uint32_t count = batch.count;
      rows.append_to(std::span(&batch, 1), HashSeed(5), counters);
      ASSERT_EQ(batch.frames, before + kWholeRow);
      ASSERT_EQ(batch.count, count + all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::size_t at = count + i;
        ASSERT_EQ((FramedSegment{batch.key[at], batch.segment[at], batch.segment[at].frame - before}), all[i]) << i;
        const FlowHash hash = hash_flow(all[i].key, HashSeed(5));
        ASSERT_EQ(batch.hash[at], hash.hash);
        ASSERT_EQ(batch.shard[at], hash.shard);
      }
      // The same again: what is foretold was forgotten.
      for (const auto& file : files.files) ASSERT_GE(file->bytes(), 1u);
      RowFiles again(all, partitions);
      again.add_to(rows);
      files = std::move(again);
    }
    EXPECT_EQ(counters.frames, 2 * all.size());
    EXPECT_EQ(counters.metered, 2 * all.size());
  }
}

TEST(SegmentRows, DevicesGetTheirShards) {
  const auto all = test::RandomSegments(2, 200).next_ones(1000);
  for (const unsigned devices : {1u, 3u}) {
    RowFiles files(all, 4);
    SegmentRows rows;
    files.add_to(rows);
    std::vector<PackedBatch> batches;
    for (unsigned i = 0; i < devices; ++i) batches.emplace_back(64, *std::pmr::get_default_resource());
    for (PackedBatch& batch : batches) batch.reset(1);
    DecodeCounters counters;
    rows.append_to(batches, HashSeed(5), counters);
    EXPECT_EQ(counters.metered, all.size());
    for (unsigned i = 0; i < devices; ++i) {
      std::vector<FramedSegment> expected, found;
      for (const FramedSegment& s : all) {
        if (share_of(shard_of(hashed_key(s.key)), devices) == i) expected.push_back(s);
      }
      for (std::uint32_t at = 0; at < batches[i].count; ++at) {
        const SegmentSpan one = batches[i].span(at, batches[i].span_end(at));
        const KeyedSegment s = one.at(0);
        found.push_back({flow_key(s.key), s.segment, s.segment.frame});
      }
      EXPECT_EQ(found, expected);
      EXPECT_EQ(batches[i].frames, kWholeRow);
    }
  }
}

TEST(SegmentRows, CountWhatDecodingCounted) {
  SegmentRows rows;
  rows.begin(100);
  DecodeCounters beside, counters;
  beside.frames = 7;
  beside.ignored[1] = 7;
  rows.count(beside);
  SegmentBatch batch(1);
  rows.append_to(std::span(&batch, 1), HashSeed(1), counters);
  EXPECT_EQ(batch.frames, 100u);
  EXPECT_EQ(batch.count, 0u);
  EXPECT_EQ(counters.frames, 7u);
  EXPECT_EQ(counters.ignored[1], 7u);
  rows.begin(1);
  rows.append_to(std::span(&batch, 1), HashSeed(1), counters);
  EXPECT_EQ(counters.frames, 7u);
}

// As of an A-MSDU: those of a flow stay in their order, and frames in theirs.
TEST(SegmentRows, PartsMayShareFrames) {
  auto all = test::RandomSegments(3, 200).next_ones(300, 0);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].frame = i / 3;
  RowFiles files(all, 64);
  SegmentRows rows;
  files.add_to(rows);
  SegmentBatch batch(1);
  DecodeCounters counters;
  rows.append_to(std::span(&batch, 1), HashSeed(1), counters);
  ASSERT_EQ(batch.count, all.size());
  EXPECT_EQ(counters.frames, 100u);
  EXPECT_EQ(counters.metered, 300u);
  EXPECT_EQ(counters.sharing_frame, 200u);
  std::vector<FramedSegment> found;
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    ASSERT_EQ(batch.segment[i].frame, i / 3);
    found.push_back({batch.key[i], batch.segment[i], batch.segment[i].frame});
  }
  for (unsigned p = 0; p < 64; ++p) EXPECT_EQ(test::of_partition(found, p, 64), test::of_partition(all, p, 64));
}

TEST(SegmentRows, FramesBeyondTheLastAreAnError) {
  const auto all = test::RandomSegments(3, 200).next_ones(100, 0);
  RowFiles files(all, 1);
  SegmentRows rows;
  SegmentFile::Block block;
  ASSERT_TRUE(files.files[0]->next(block));
  rows.begin(100);
  rows.add(*files.files[0], block, 100);
  EXPECT_NE(test::thrown_text([&] { rows.add(*files.files[0], block, 99); }), "");
}

}  // namespace
}  // namespace warpmeter
