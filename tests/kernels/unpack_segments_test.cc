// The columns of a batch are what was packed, behind those of the last segments before it.
#include "unpack_segments.cuh"

#include <gtest/gtest.h>

#include <vector>

#include "core/packed_batch.h"
#include "kernels/host_device.h"
#include "support/keys.h"
#include "support/same_segment.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kUnpackSeed = 11;
constexpr std::uint32_t kUnwritten = 0xa5a5a5a5;

struct Columns {
  explicit Columns(std::uint32_t size) : key(size), hash(size, 0xa5), segment(size), number(size, 0xa5) {}
  BatchColumns at(std::uint32_t i) { return {key.data() + i, hash.data() + i, segment.data() + i, number.data() + i}; }

  std::vector<FlowKey> key;
  std::vector<std::uint64_t> hash;
  std::vector<Segment> segment;
  std::vector<std::uint64_t> number;
};

// What else the kernel writes, for so many segments and padding.
class UnpackedBatch {
 public:
  UnpackedBatch(std::uint32_t before, std::uint32_t size)
      : key(before + 2 * size, kUnwritten), position(key), size_(size) {}

  UnpackSegments kernel(const SegmentSpan& span, const BatchColumns& to, const BatchColumns& previous_end,
                        std::uint32_t before, unsigned identity_bits) {
    return {span.segment,
            span.words,
            span.first_number,
            kUnpackSeed,
            IdentitySeed(kUnpackSeed),
            to,
            previous_end,
            before,
            span.count,
            size_,
            kNoFlow,
            identity_bits,
            key.data(),
            position.data(),
            begins,
            {&counts, {}},
            {&counts.room, span.count}};
  }

  // Of element p.
  std::uint32_t identity(std::uint32_t p) const { return key.at(size_ + p) - (kNoFlow + 1); }

  static constexpr std::uint32_t kNoFlow = 99;
  bool begins = false;
  std::vector<std::uint32_t> key, position;
  BatchCounts counts{};

 private:
  const std::uint32_t size_;
};

std::uint64_t identity_of(const Columns& columns, std::uint32_t i, unsigned bits) {
  return identity_hash(columns.hash[i], columns.segment[i], IdentitySeed(kUnpackSeed)) >> (64 - bits);
}

TEST(UnpackSegments, GivesKeysHashesSegmentsAndNumbers) {
  constexpr std::uint32_t kSegments = 50, kFirst = 1000;
  std::vector<FlowKey> keys;
  std::vector<Segment> segments;
  PackedBatch batch(kSegments, *std::pmr::new_delete_resource());
  batch.reset(kFirst);
  for (std::uint32_t i = 0; i < kSegments; ++i) {
    const Bytes address(i % 3 ? 4 : 16, static_cast<std::uint8_t>(i));
    keys.push_back(key_of({.source = address, .destination = address, .vlan = static_cast<std::uint16_t>(i)}));
    segments.push_back(test_segment(i).identified(i, i).tcp(i, 0, i));
    segments.back().length = i % 5 ? 1000 : 70'000;
    segments.back().payload_length = 900;
    segments.back().frame = i / 2;
    batch.push({hashed_key(keys[i]), segments[i]});
  }
  Columns to(kSegments), before(0);
  UnpackedBatch unpacked(0, kSegments);
  HostDevice({}).launch(unpacked.kernel(batch.span(0, kSegments), to.at(0), before.at(0), 0, 16), kSegments);
  EXPECT_EQ(unpacked.counts.segments, kSegments);
  for (std::uint32_t i = 0; i < kSegments; ++i) {
    EXPECT_TRUE(to.key[i] == keys[i]) << i;
    EXPECT_EQ(to.hash[i], hash_flow(keys[i], kUnpackSeed).hash) << i;
    EXPECT_TRUE(same_segment(to.segment[i], segments[i])) << i;
    EXPECT_EQ(to.number[i], kFirst + i / 2) << i;
    EXPECT_EQ(unpacked.identity(i), identity_of(to, i, 16)) << i;
    EXPECT_EQ(unpacked.position[i], i);
    EXPECT_EQ(unpacked.position[kSegments + i], i);
    EXPECT_EQ(unpacked.key[i], kUnwritten);
  }
}

TEST(UnpackSegments, KeepsTheLastOfThoseBeforeIt) {
  constexpr std::uint32_t kEarlier = 5, kKept = 3;
  Columns earlier(kEarlier), to(kKept + 1);
  for (std::uint32_t i = 0; i < kEarlier; ++i) {
    earlier.key[i] = numbered_key(i);
    earlier.hash[i] = 100 + i;
    earlier.segment[i] = test_segment(i).identified(7, 7);
    earlier.number[i] = 10 + i;
  }
  PackedBatch batch(1, *std::pmr::new_delete_resource());
  batch.reset(20);
  batch.push({hashed_key(numbered_key(9)), test_segment(9)});
  UnpackedBatch unpacked(kKept, 1);
  HostDevice({}).launch(unpacked.kernel(batch.span(0, 1), to.at(kKept), earlier.at(kEarlier), kKept, 24), kKept + 1);
  for (std::uint32_t i = 0; i < kKept; ++i) {
    const std::uint32_t from = kEarlier - kKept + i;
    EXPECT_TRUE(to.key[i] == earlier.key[from]) << i;
    EXPECT_EQ(to.hash[i], earlier.hash[from]);
    EXPECT_TRUE(same_segment(to.segment[i], earlier.segment[from])) << i;
    EXPECT_EQ(to.number[i], earlier.number[from]);
    EXPECT_EQ(unpacked.identity(i), identity_of(to, i, 24));
  }
  EXPECT_TRUE(to.key[kKept] == numbered_key(9));
  EXPECT_EQ(to.number[kKept], 20u);
  EXPECT_EQ(unpacked.position, (std::vector<std::uint32_t>{0, 0, 1, 2, 3}));
  EXPECT_EQ(unpacked.counts.segments, 1u);
  EXPECT_EQ(unpacked.counts.before, kKept);
}

PackedBatch equal_segments(std::uint32_t count) {
  PackedBatch batch(count, *std::pmr::new_delete_resource());
  batch.reset(1);
  for (std::uint32_t i = 0; i < count; ++i) batch.push({hashed_key(numbered_key(9)), test_segment(9)});
  return batch;
}

// Unless something of the batch came before it.
TEST(UnpackSegments, BeginsTheBatch) {
  for (const bool begins : {true, false}) {
    Columns to(2), before(0);
    const PackedBatch batch = equal_segments(2);
    UnpackedBatch unpacked(0, 2);
    unpacked.begins = begins;
    unpacked.counts.overflow = 5;
    unpacked.counts.room = {.given = 1, .free = 2, .released = 0, .open = 1, .refused = 0, .lost = 0};
    HostDevice({}).launch(unpacked.kernel(batch.span(0, 2), to.at(0), before.at(0), 0, 16), 2);
    EXPECT_EQ(unpacked.counts.overflow, begins ? 0u : 5u);
    EXPECT_EQ(unpacked.counts.room.open, begins ? 0u : 1u);  // two keys may come, and there is room for one
    EXPECT_EQ(unpacked.counts.segments, 2u);
  }
}

// No column is touched beyond the last segment, nor any flow beyond the padding, though there are more threads.
TEST(UnpackSegments, PadsWithElementsWithoutAFlow) {
  constexpr std::uint32_t kSize = 4, kElements = 7;
  Columns to(1), before(0);
  const PackedBatch batch = equal_segments(1);
  UnpackedBatch unpacked(kElements - kSize, kSize);
  HostDevice({}).launch(unpacked.kernel(batch.span(0, 1), to.at(0), before.at(0), 0, 16), kElements);
  const std::vector<std::uint32_t> flow(unpacked.key.begin(), unpacked.key.begin() + kSize);
  const std::uint32_t none = UnpackedBatch::kNoFlow;
  EXPECT_EQ(flow, (std::vector<std::uint32_t>{kUnwritten, none, none, none}));
  EXPECT_EQ(unpacked.position, (std::vector<std::uint32_t>{0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6}));
  for (std::uint32_t p = 1; p < kElements; ++p) EXPECT_LT(unpacked.identity(p), 1u << 16);
  EXPECT_EQ(unpacked.counts.segments, 1u);
}

}  // namespace
}  // namespace warpmeter::test
