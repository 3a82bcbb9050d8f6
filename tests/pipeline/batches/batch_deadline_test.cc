// Batches that have a deadline, of a source that waits for frames: they end in time, full, or where another worker can
// go on; and nothing that frames lie in is kept meanwhile.
#include <gtest/gtest.h>

#include <deque>

#include "packet/file/repeating_ring.h"
#include "pipeline/batches/ordered_batches.h"

namespace warpmeter::test {
namespace {

using std::chrono::milliseconds;
constexpr std::chrono::hours kNever{1};

struct Frames {
  void begin() { count = 0, watermark_ns = 0; }
  void add(const FrameBlock& block) { count += block.frames.size(), watermark_ns = block.watermark_ns; }
  void finish(std::uint64_t first) { first_number = first; }

  std::uint64_t count = 0, first_number = 0;
  std::int64_t watermark_ns = 0;
};

// Gives as many chunks of one frame as are there; then says that time has passed.
class SlowSource : public PacketSource {
 public:
  // Of each call: chunks that are there, before nothing is.
  explicit SlowSource(std::deque<unsigned> there) : there_(std::move(there)) {}
  bool ends() const override { return true; }
  bool repeatable() const override { return false; }

  std::vector<milliseconds> waits;  // of calls that found nothing

 private:
  bool claim(Chunk& chunk, const ChunkOptions& options) override {
    chunk.block.watermark_ns = ++time_ns_;
    if (there_.empty()) return false;
    if (there_.front() == 0) {
      waits.push_back(options.longest_wait);
      if (options.longest_wait.count() > 0) there_.pop_front();
      return true;
    }
    --there_.front();
    chunk.block.frames.push_back({nullptr, time_ns_, 0, 0, 1});
    return true;
  }

  std::deque<unsigned> there_;
  std::int64_t time_ns_ = 0;
};

// The frames of each batch, whose numbers are right.
std::vector<std::uint64_t> batches_of(PacketSource& source, const BatchShape& shape) {
  OrderedBatches<Frames> batches(source, shape, [] { return Frames(); });
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < shape.workers; ++i) workers.emplace_back([&, i] { batches.work(i); });
  std::vector<std::uint64_t> counts;
  std::uint64_t next = 1;
  std::int64_t watermark_ns = 0;
  for (std::uint64_t batch = 0; batches.wait_for(batch); ++batch) {
    EXPECT_EQ(batches[batch].first_number, next);
    EXPECT_TRUE(batches[batch].watermark_ns > watermark_ns ||
                batches[batch].watermark_ns == FrameBlock::kNothingPassed);
    next += batches[batch].count;
    watermark_ns = batches[batch].watermark_ns;
    counts.push_back(batches[batch].count);
    batches.release(batch);
  }
  return counts;
}

BatchShape shape(unsigned workers, std::chrono::nanoseconds deadline) {
  return {.workers = workers, .slots = 3, .chunks = 8, .chunk = {.frames = 1}, .deadline = deadline};
}

TEST(BatchDeadline, ABatchThatIsNotFullEndsInTime) {
  SlowSource source({3, 0, 0, 2});
  // Every look at the clock finds that it is time.
  EXPECT_EQ(batches_of(source, shape(1, std::chrono::nanoseconds(1))),
            (std::vector<std::uint64_t>{1, 1, 1, 0, 0, 0, 1, 1, 0}));
}

TEST(BatchDeadline, UntilThenItGoesOnToBeFilled) {
  SlowSource source({3, 1, 0, 1, 1, 1, 1, 9});
  EXPECT_EQ(batches_of(source, shape(1, kNever)), (std::vector<std::uint64_t>{8, 8, 1}));
  // What is there is read before anybody waits; and nobody waits for longer than a source likes.
  ASSERT_FALSE(source.waits.empty());
  EXPECT_EQ(source.waits.front(), milliseconds(0));
  for (const milliseconds wait : source.waits)
    EXPECT_TRUE(wait == milliseconds(0) || wait == ChunkOptions().longest_wait);
}

TEST(BatchDeadline, NobodyWaitsForLongerThanUntilThen) {
  SlowSource source({0});
  batches_of(source, shape(1, milliseconds(5)));
  ASSERT_FALSE(source.waits.empty());
  for (const milliseconds wait : source.waits) EXPECT_LE(wait, milliseconds(5));
}

TEST(BatchDeadline, WhereMuchIsThereAnotherWorkerGoesOn) {
  SlowSource many({5, 2, 0});
  EXPECT_EQ(batches_of(many, shape(2, kNever)), (std::vector<std::uint64_t>{5, 2}));
  SlowSource alone({5, 2, 0});
  EXPECT_EQ(batches_of(alone, shape(1, kNever)), (std::vector<std::uint64_t>{7}));
}

// A ring of fewer blocks than a batch has chunks: they must go back while it is filled.
TEST(BatchDeadline, BlocksAreNotKept) {
  constexpr std::size_t kBlocks = 2;
  for (const unsigned workers : {1u, 3u}) {
    std::atomic<bool> stop = false;
    RepeatingRing ring({{1, 2, 3}, {4}}, kBlocks, stop);
    BatchShape wanted = shape(workers, kNever);
    wanted.chunk.frames = 2;
    std::jthread stopper([&] {
      while (ring.blocks_given() < 200) std::this_thread::yield();
      stop = true;
    });
    const std::vector<std::uint64_t> counts = batches_of(ring, wanted);
    ASSERT_GT(counts.size(), 10u);
    for (std::size_t i = 0; i + 1 < counts.size(); ++i) EXPECT_EQ(counts[i], 16u);
    EXPECT_EQ(ring.blocks_free(), kBlocks);
    EXPECT_EQ(ring.frames_read(), 2 * ring.blocks_given());
  }
}

}  // namespace
}  // namespace warpmeter::test
