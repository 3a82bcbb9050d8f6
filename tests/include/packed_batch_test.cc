// A packed batch gives back what was pushed, in spans that bring all their words and those of no other section.
#include "core/packed_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <vector>

#include "support/keys.h"
#include "support/same_segment.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kSection = 8;

// In turn IPv4, IPv6, and one that does not fit.
KeyedSegment numbered(std::uint32_t i) {
  Segment s = test_segment(i);
  s.frame = i;
  s.length = i % 3 == 2 ? 70'000 : 1000;
  const Bytes source = i % 3 == 1 ? Bytes(16, static_cast<std::uint8_t>(i)) : Bytes(4, static_cast<std::uint8_t>(i));
  return {hashed_key(key_of({.source = source, .destination = source})), s};
}

void expect_numbered(const KeyedSegment& got, std::uint32_t i) {
  EXPECT_TRUE(flow_key(got.key) == flow_key(numbered(i).key)) << i;
  EXPECT_TRUE(same_segment(got.segment, numbered(i).segment)) << i;
}

PackedBatch batch_of(std::uint32_t segments) {
  PackedBatch batch(kSection, *std::pmr::new_delete_resource());
  batch.reset(100);
  batch.make_room(segments);
  for (std::uint32_t i = 0; i < segments; ++i) batch.push(numbered(i));
  return batch;
}

TEST(PackedBatch, SpansHaveWhatWasPushed) {
  const PackedBatch batch = batch_of(3 * kSection - 2);
  EXPECT_EQ(batch.count, 3 * kSection - 2);
  for (std::uint32_t begin = 0; begin < batch.count; ++begin) {
    const std::uint32_t end = batch.span_end(begin);
    EXPECT_EQ(end, std::min(batch.count, begin / kSection * kSection + kSection));
    const SegmentSpan span = batch.span(begin, end);
    ASSERT_EQ(span.count, end - begin);
    EXPECT_EQ(span.number(0), 100 + begin);
    EXPECT_LE(span.word_count, kSection * kMostPackedWords);
    for (std::uint32_t i = 0; i < span.count; ++i) expect_numbered(span.at(i), begin + i);
  }
}

TEST(PackedBatch, WordsAreThoseOfTheSection) {
  const PackedBatch batch = batch_of(2 * kSection);
  for (const std::uint32_t begin : {0u, kSection}) {
    std::uint64_t words = 0;
    for (std::uint32_t i = begin; i < begin + kSection; ++i) words += words_of(form_of(numbered(i)));
    EXPECT_EQ(batch.span(begin, begin + 1).word_count, words);
    EXPECT_EQ(batch.span(begin + kSection - 1, begin + kSection).word_count, words);
  }
}

// Whoever copies a section whole does it at once.
TEST(PackedBatch, WordsLieBeforeTheFirstSegment) {
  const PackedBatch batch = batch_of(2 * kSection);
  for (const std::uint32_t begin : {0u, kSection}) {
    const SegmentSpan span = batch.span(begin, begin + kSection);
    EXPECT_TRUE(span.words_are_before_segments());
    EXPECT_EQ(static_cast<const void*>(span.words), span.segment);
    const PackedSegment& last = span.segment[kSection - 3];  // of IPv6 or larger
    ASSERT_NE(form_of(last), PackedForm::ip4);
    EXPECT_LT(static_cast<std::int64_t>(last.addresses), 0);
    EXPECT_GE(static_cast<std::int64_t>(last.addresses), -static_cast<std::int64_t>(span.word_count));
    EXPECT_FALSE(batch.span(begin + 1, begin + kSection).words_are_before_segments());
  }
}

TEST(PackedBatch, EmptyOnesHaveEmptySpans) {
  const PackedBatch none(kSection, *std::pmr::new_delete_resource());
  EXPECT_EQ(none.span(0, 0).count, 0u);
  EXPECT_EQ(none.span(0, 0).word_count, 0u);
  EXPECT_EQ(batch_of(kSection).span(kSection, kSection).count, 0u);
}

TEST(PackedBatch, ResetForgetsWhatWasThere) {
  PackedBatch batch = batch_of(2 * kSection + 1);
  batch.reset(7);
  EXPECT_EQ(batch.count, 0u);
  batch.push(numbered(1));
  const SegmentSpan span = batch.span(0, batch.span_end(0));
  EXPECT_EQ(span.first_number, 7u);
  EXPECT_EQ(span.count, 1u);
  EXPECT_EQ(span.word_count, words_of(PackedForm::ip6));
  expect_numbered(span.at(0), 1);
}

TEST(PackedBatch, LiesInTheMemoryThatItIsGiven) {
  std::array<std::byte, 1 << 12> bytes;
  std::pmr::monotonic_buffer_resource memory(bytes.data(), bytes.size(), std::pmr::null_memory_resource());
  PackedBatch batch(kSection, memory);
  for (std::uint32_t i = 0; i < kSection; ++i) batch.push(numbered(i));
  const SegmentSpan span = batch.span(0, kSection);
  for (const void* place : {static_cast<const void*>(span.segment), static_cast<const void*>(span.words)}) {
    EXPECT_TRUE(place >= bytes.data() && place < bytes.data() + bytes.size());
  }
}

// Tells how often it was asked.
class CountedMemory : public std::pmr::memory_resource {
 public:
  unsigned asked() const { return asked_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++asked_;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }

  unsigned asked_ = 0;
};

// Every packet of IPv6, or larger than its fields.
KeyedSegment with_words(std::uint32_t i, bool large) { return numbered(3 * i + (large ? 2 : 1)); }

// As a decoder has it: it asks for room for the frames of a block, a few.
void push_with_words(std::uint32_t segments, bool large, PackedBatch& batch) {
  batch.reset(100);
  for (std::uint32_t i = 0; i < segments; ++i) {
    batch.make_room(1);
    batch.push(with_words(i, large));
  }
}

void expect_with_words(const PackedBatch& batch, std::uint32_t segments, bool large) {
  ASSERT_EQ(batch.count, segments);
  for (std::uint32_t begin = 0; begin < segments;) {
    const std::uint32_t end = batch.span_end(begin);
    ASSERT_GT(end, begin);
    EXPECT_LE(end, begin + kSection);
    const SegmentSpan span = batch.span(begin, end);
    EXPECT_EQ(span.word_count, span.count * words_of(form_of(with_words(0, large))));
    for (std::uint32_t i = 0; i < span.count; ++i) {
      const KeyedSegment expected = with_words(begin + i, large);
      EXPECT_TRUE(flow_key(span.at(i).key) == flow_key(expected.key));
      EXPECT_TRUE(same_segment(span.at(i).segment, expected.segment));
      EXPECT_EQ(span.number(i), 100 + expected.segment.frame);
    }
    begin = end;
  }
}

TEST(PackedBatch, HasFastMemoryFromTheBeginningAndAsksForNoMore) {
  CountedMemory memory;
  PackedBatch batch(kSection, memory);
  const unsigned asked = memory.asked();
  EXPECT_GT(asked, 0u);
  for (const std::uint32_t segments : {kSection, 4 * kSection + 1, kSection - 1, 3 * kSection, 9 * kSection}) {
    for (const bool large : {false, true}) {
      push_with_words(segments, large, batch);
      expect_with_words(batch, segments, large);
    }
  }
  EXPECT_EQ(memory.asked(), asked);
}

TEST(PackedBatch, ASectionHasRoomForPacketsOfIp6Alone) {
  PackedBatch batch(kSection, *std::pmr::new_delete_resource());
  push_with_words(kSection, false, batch);
  EXPECT_EQ(batch.span_end(0), kSection);
}

// It has less room for words than these would take, and ends before.
TEST(PackedBatch, ASectionEndsWhereItsWordsDo) {
  for (const std::uint32_t section : {1u, 2u, 3u, kSection}) {
    PackedBatch batch(section, *std::pmr::new_delete_resource());
    push_with_words(4 * section, true, batch);
    for (std::uint32_t begin = 0; begin < batch.count;) {
      const std::uint32_t end = batch.span_end(begin);
      EXPECT_EQ(end, std::min(batch.count, begin + std::max(1u, section * 4 / kMostPackedWords)));
      expect_with_words(batch, 4 * section, true);
      begin = end;
    }
  }
}

// Of segment files, whose batches will be as large again.
TEST(PackedBatch, SectionsThatAreAskedForAtOnceLieInFastMemoryToo) {
  CountedMemory memory;
  PackedBatch batch(kSection, memory);
  const unsigned of_one = memory.asked();
  for (int i = 0; i < 3; ++i) {
    batch.reset(1);
    batch.make_room(4 * kSection);
    for (std::uint32_t n = 0; n < 4 * kSection; ++n) batch.push(numbered(n));
    EXPECT_EQ(memory.asked(), 4 * of_one);
  }
  for (std::uint32_t n = 0; n < 2 * kSection; ++n) batch.push(numbered(n));
  EXPECT_EQ(memory.asked(), 4 * of_one);
}

TEST(PackedAppender, SharesAmongSeveral) {
  std::vector<PackedBatch> batches;
  for (int i = 0; i < 3; ++i) batches.emplace_back(64, *std::pmr::new_delete_resource());
  PackedAppender appender(batches);
  std::vector<std::uint32_t> expected(3);
  for (std::uint32_t i = 0; i < 60; ++i) {
    ++expected[share_of(shard_of(numbered(i).key), 3)];
    appender.push(numbered(i));
  }
  for (unsigned share : {0u, 1u, 2u}) {
    EXPECT_EQ(batches[share].count, expected[share]);
    EXPECT_GT(expected[share], 0u);
  }
}

}  // namespace
}  // namespace warpmeter::test
