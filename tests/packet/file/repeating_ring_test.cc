// A source that never ends and has only so many blocks: each goes back as soon as nobody needs its bytes, not earlier.
#include "packet/file/repeating_ring.h"

#include <gtest/gtest.h>

#include <numeric>

#include "pipeline/batches/ordered_batches.h"

namespace warpmeter::test {
namespace {

const std::vector<Bytes> kPackets = {counting_bytes(60), counting_bytes(1), counting_bytes(200)};

// Looks at the bytes as they are read, and keeps none.
struct Looked {
  std::uint64_t frames = 0, wrong = 0;

  void begin() { frames = wrong = 0; }
  void add(const FrameBlock& block) {
    for (std::size_t i = 0; i < block.frames.size(); ++i) {
      const Frame& frame = block.frames[i];
      wrong += Bytes(frame.data, frame.data + frame.captured) != kPackets[i % kPackets.size()];
      ++frames;
    }
  }
  void finish(std::uint64_t) {}
};

// Keeps frames and their leases until it is consumed: bytes outlive their reading.
struct KeptFrames {
  FrameBlock block;

  void begin() { block.clear(); }
  void add(const FrameBlock& more) {
    block.frames.insert(block.frames.end(), more.frames.begin(), more.frames.end());
    block.leases.insert(block.leases.end(), more.leases.begin(), more.leases.end());
  }
  void finish(std::uint64_t first_number) { block.first_number = first_number; }
};

class RepeatingRingTest : public testing::Test {
 protected:
  std::atomic<bool> stop_ = false;
};

TEST_F(RepeatingRingTest, NeitherEndsNorRepeats) {
  const RepeatingRing ring(kPackets, 1, stop_);
  EXPECT_FALSE(ring.ends());
  EXPECT_FALSE(ring.repeatable());
  EXPECT_EQ(ring.bytes_in_all(), 0u);
}

TEST_F(RepeatingRingTest, BlocksAreUsedAgainAndAgain) {
  for (const unsigned workers : {1u, 3u}) {
    for (const std::size_t blocks : {1, 4}) {
      stop_ = false;
      RepeatingRing ring(kPackets, blocks, stop_);
      OrderedBatches<Looked> batches(ring, {.workers = workers, .slots = 2 * workers, .consumers = 1},
                                     [] { return Looked(); });
      std::uint64_t frames = 0, wrong = 0;
      batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t batch = first; batch < last; ++batch) {
          frames += batches[batch].frames;
          wrong += batches[batch].wrong;
        }
        if (frames >= 300) stop_ = true;
      });
      EXPECT_EQ(wrong, 0u);
      EXPECT_EQ(frames, kPackets.size() * ring.blocks_given());
      EXPECT_EQ(ring.frames_read(), frames);
      EXPECT_EQ(ring.blocks_free(), blocks);
    }
  }
}

TEST_F(RepeatingRingTest, LeasedBlockStaysUntilItIsLetGo) {
  RepeatingRing ring(kPackets, 2, stop_);
  OrderedBatches<KeptFrames> batches(ring, {.workers = 3, .slots = 5, .consumers = 1, .chunk = {.keep = true}},
                                     [] { return KeptFrames(); });
  std::uint64_t frames = 0, wrong = 0;
  std::int64_t before_ns = 0;
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t batch = first; batch < last; ++batch) {
      FrameBlock& block = batches[batch].block;
      wrong += block.first_number != frames + 1;
      for (std::size_t i = 0; i < block.frames.size(); ++i) {
        const Frame& frame = block.frames[i];
        wrong += Bytes(frame.data, frame.data + frame.captured) != kPackets[i % kPackets.size()];
        wrong += frame.time_ns != std::exchange(before_ns, frame.time_ns) + RepeatingRing::kStep;
      }
      frames += block.frames.size();
      block.clear();  // here the ring has it back
    }
    if (frames >= 300) stop_ = true;
  });
  EXPECT_EQ(wrong, 0u);
  EXPECT_GE(frames, 300u);
  EXPECT_EQ(ring.blocks_free(), 2u);
}

TEST_F(RepeatingRingTest, LeaseOutlivesTheRing) {
  FrameBlock kept;
  {
    RepeatingRing ring(kPackets, 1, stop_);
    OrderedBatches<KeptFrames> batches(ring, {.slots = 2, .chunk = {.keep = true}}, [] { return KeptFrames(); });
    std::jthread worker([&] { batches.work(0); });
    EXPECT_TRUE(batches.wait_for(0));
    kept = std::move(batches[0].block);
    EXPECT_EQ(ring.blocks_free(), 0u);  // so nothing comes any more but empty chunks
    stop_ = true;
    for (std::uint64_t batch = 0; batches.wait_for(batch); ++batch) batches.release(batch);
    EXPECT_EQ(ring.blocks_given(), 1u);
  }
  ASSERT_EQ(kept.frames.size(), kPackets.size());
  EXPECT_EQ(Bytes(kept.frames[2].data, kept.frames[2].data + 200), kPackets[2]);
}

}  // namespace
}  // namespace warpmeter::test
