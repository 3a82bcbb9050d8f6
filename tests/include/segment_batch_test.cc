// A batch keeps its columns together and lists its segments by shard in arrival order.
#include "core/segment_batch.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/keys.h"

namespace warpmeter::test {
namespace {

void push(SegmentBatch& batch, unsigned shard, std::uint32_t sequence) {
  Segment s;
  s.sequence = sequence;
  batch.push(key_of({.source_port = static_cast<std::uint16_t>(sequence)}), {sequence * 10ull, shard}, s);
}

std::vector<std::uint32_t> shards(const SegmentBatch& batch, unsigned first, unsigned last) {
  std::vector<std::uint32_t> places;
  for (const ListedSegment& segment : batch.of_shards(first, last)) {
    EXPECT_EQ(segment.hash, batch.hash[segment.at]);
    EXPECT_EQ(segment.shard, batch.shard[segment.at]);
    places.push_back(segment.at);
  }
  return places;
}

using Indices = std::vector<std::uint32_t>;

TEST(SegmentBatch, ColumnsBelongTogether) {
  SegmentBatch batch(2);
  push(batch, 5, 7);
  push(batch, 63, 8);
  ASSERT_EQ(batch.count, 2u);
  EXPECT_TRUE(batch.key[1] == key_of({.source_port = 8}));
  EXPECT_EQ(batch.hash[1], 80u);
  EXPECT_EQ(batch.shard[1], 63);
  EXPECT_EQ(batch.segment[1].sequence, 8u);
  EXPECT_EQ(batch.segment[0].sequence, 7u);
}

TEST(SegmentBatch, AnAppenderAppends) {
  SegmentBatch batch(4);
  push(batch, 5, 7);
  {
    SegmentAppender appender(batch);
    for (std::uint32_t sequence : {8u, 9u}) {
      const SegmentBatch::Place to = appender.push({sequence * 10ull, 63});
      to.key = key_of({.source_port = static_cast<std::uint16_t>(sequence)});
      to.segment.sequence = sequence;
    }
  }
  push(batch, 1, 10);
  ASSERT_EQ(batch.count, 4u);
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(batch.segment[i].sequence, 7 + i);
    EXPECT_EQ(batch.hash[i], 70 + 10 * i);
    EXPECT_TRUE(batch.key[i] == key_of({.source_port = static_cast<std::uint16_t>(7 + i)}));
  }
  EXPECT_EQ(batch.shard[2], 63);
}

TEST(SegmentBatch, ListsEachShardInArrivalOrder) {
  SegmentBatch batch(8);
  unsigned sequence = 0;
  for (const unsigned shard : {63u, 2u, 0u, 2u, 63u, 2u}) push(batch, shard, sequence++);
  batch.list_by_shard();
  EXPECT_EQ(shards(batch, 0, 1), (Indices{2}));
  EXPECT_EQ(shards(batch, 1, 2), Indices{});
  EXPECT_EQ(shards(batch, 2, 3), (Indices{1, 3, 5}));
  EXPECT_EQ(shards(batch, 63, 64), (Indices{0, 4}));
}

TEST(SegmentBatch, ListsSeveralShardsOneAfterTheOther) {
  SegmentBatch batch(4);
  push(batch, 9, 0);
  push(batch, 8, 1);
  push(batch, 9, 2);
  push(batch, 10, 3);
  batch.list_by_shard();
  EXPECT_EQ(shards(batch, 8, 10), (Indices{1, 0, 2}));
  EXPECT_EQ(shards(batch, 0, kShards), (Indices{1, 0, 2, 3}));
}

TEST(SegmentBatch, EmptyBatchHasEmptyShards) {
  SegmentBatch batch(1);
  batch.list_by_shard();
  EXPECT_EQ(shards(batch, 0, kShards), Indices{});
}

TEST(SegmentBatch, MakesRoomForMoreThanItsCapacity) {
  SegmentBatch batch(2);
  push(batch, 1, 0);
  batch.make_room(1);
  EXPECT_EQ(batch.capacity, 2u);
  batch.make_room(100);
  EXPECT_EQ(batch.capacity, 101u);
  for (std::uint32_t i = 1; i <= 100; ++i) push(batch, 1, i);
  batch.list_by_shard();
  ASSERT_EQ(shards(batch, 1, 2).size(), 101u);
  EXPECT_EQ(batch.segment[0].sequence, 0u);
  EXPECT_EQ(batch.segment[100].sequence, 100u);
}

TEST(SegmentBatch, ResetForgetsWhatWasThere) {
  SegmentBatch batch(2);
  push(batch, 1, 0);
  push(batch, 1, 1);
  batch.list_by_shard();
  batch.reset(101);
  push(batch, 4, 9);
  batch.list_by_shard();
  EXPECT_EQ(batch.first_number, 101u);
  EXPECT_EQ(shards(batch, 1, 2), Indices{});
  EXPECT_EQ(shards(batch, 0, kShards), (Indices{0}));
}

}  // namespace
}  // namespace warpmeter::test
