// What a batch forgets, what it is told at the end.
#include "pipeline/batches/decoded_batch.h"

#include <gtest/gtest.h>

#include <array>
#include <memory_resource>

#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

constexpr std::uint32_t kCapacity = 4;

// Frames that a source takes back, because it had guessed wrong, are not counted.
template <class Batch>
void expect_counts_since_begin(std::vector<Batch> shares) {
  StageClock clock;
  const Decoder decoder({}, {});
  DecodedBatch batch(decoder, clock, std::move(shares));
  const std::array<std::uint8_t, 14> ethernet{};
  FrameBlock block;
  block.frames.assign(3, {ethernet.data(), 0, 14, 14, kLinkEthernet});
  batch.begin();
  batch.add(block);
  batch.add(block);
  EXPECT_EQ(batch.counters.frames, 6u);
  EXPECT_EQ(batch.shares.front().frames, 6u);
  batch.begin();
  batch.add(block);
  batch.finish(70);
  EXPECT_EQ(batch.counters.frames, 3u);
  for (const Batch& share : batch.shares) {
    EXPECT_EQ(share.frames, 3u);
    EXPECT_EQ(share.first_number, 70u);
  }
}

TEST(DecodedBatch, CountsWhatWasAddedSinceItBegan) {
  expect_counts_since_begin(std::vector(1, SegmentBatch(kCapacity)));
  std::vector<PackedBatch> packed;
  for (int i = 0; i < 2; ++i) packed.emplace_back(kCapacity, *std::pmr::new_delete_resource());
  expect_counts_since_begin(std::move(packed));
}

}  // namespace
}  // namespace warpmeter
