// Where the segments of a batch lie, what it forgets, what it is told at the end.
#include "extract/decoded_batch.h"

#include <gtest/gtest.h>

#include <array>
#include <memory_resource>

#include "warpmeter/link_type.h"

namespace warpmeter {
namespace {

constexpr std::uint32_t kCapacity = 4;

// The columns of a device's share lie in the memory that it copies from fast, those of the next in that one's.
TEST(DecodedBatch, EveryDeviceHasItsShareInItsMemory) {
  struct Memory {
    alignas(64) std::array<std::byte, 1 << 12> bytes;
    std::pmr::monotonic_buffer_resource resource{bytes.data(), bytes.size(), std::pmr::null_memory_resource()};
    bool holds(const void* place) const {
      const auto* at = static_cast<const std::byte*>(place);
      return at >= bytes.data() && at < bytes.data() + bytes.size();
    }
  };
  Memory memories[2];
  StageClock clock;
  const Decoder decoder({}, {});
  const DecodedBatch batch(decoder, clock, kCapacity, {&memories[0].resource, &memories[1].resource});
  ASSERT_EQ(batch.shares.size(), 2u);
  for (unsigned device : {0u, 1u}) {
    const SegmentBatch& segments = batch.shares[device];
    EXPECT_EQ(segments.capacity, kCapacity);
    EXPECT_TRUE(memories[device].holds(segments.segment.data()));
    EXPECT_TRUE(memories[device].holds(segments.key.data()));
    EXPECT_TRUE(memories[device].holds(segments.hash.data()));
  }
}

// Frames that a source takes back, because it had guessed wrong, are not counted.
TEST(DecodedBatch, CountsWhatWasAddedSinceItBegan) {
  StageClock clock;
  const Decoder decoder({}, {});
  DecodedBatch batch(decoder, clock, kCapacity, {std::pmr::new_delete_resource()});
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
  EXPECT_EQ(batch.shares.front().frames, 3u);
  EXPECT_EQ(batch.shares.front().first_number, 70u);
}

}  // namespace
}  // namespace warpmeter
