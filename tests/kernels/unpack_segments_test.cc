// The columns of a batch are what was packed.
#include "batch_input.cuh"

#include <gtest/gtest.h>

#include <vector>

#include "core/packed_batch.h"
#include "kernels/host_device.h"
#include "support/keys.h"
#include "support/same_segment.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

TEST(UnpackSegments, GivesKeysHashesAndSegments) {
  constexpr std::uint64_t kSeed = 11;
  constexpr std::uint32_t kSegments = 50;
  std::vector<FlowKey> keys;
  std::vector<Segment> segments;
  PackedBatch batch(kSegments, *std::pmr::new_delete_resource());
  for (std::uint32_t i = 0; i < kSegments; ++i) {
    const Bytes address(i % 3 ? 4 : 16, static_cast<std::uint8_t>(i));
    keys.push_back(key_of({.source = address, .destination = address, .vlan = static_cast<std::uint16_t>(i)}));
    segments.push_back(test_segment(i).identified(i, i).tcp(i, 0, i));
    segments.back().length = i % 5 ? 1000 : 70'000;
    segments.back().payload_length = 900;
    batch.push({hashed_key(keys[i]), segments[i]});
  }
  const SegmentSpan span = batch.span(0, kSegments);
  std::vector<FlowKey> key(kSegments);
  std::vector<std::uint64_t> hash(kSegments);
  std::vector<Segment> segment(kSegments);
  HostDevice device({});
  device.launch(UnpackSegments{span.segment, span.words, kSeed, key.data(), hash.data(), segment.data()}, kSegments);
  for (std::uint32_t i = 0; i < kSegments; ++i) {
    EXPECT_TRUE(key[i] == keys[i]) << i;
    EXPECT_EQ(hash[i], hash_flow(keys[i], kSeed).hash) << i;
    EXPECT_TRUE(same_segment(segment[i], segments[i])) << i;
  }
}

}  // namespace
}  // namespace warpmeter::test
