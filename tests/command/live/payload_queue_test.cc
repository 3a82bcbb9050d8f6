// Segments with their payload come out as they went in, whatever their sizes, one thread behind the other.
#include "command/live/core_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

namespace warpmeter::test {
namespace {

// The `number`th of a sequence that both threads know: its bytes follow from its number.
class Numbered {
 public:
  explicit Numbered(std::uint32_t number) : bytes_(std::mt19937(number)() % (number % 50 == 0 ? 60'000 : 1500)) {
    std::fill(bytes_.begin(), bytes_.end(), static_cast<std::uint8_t>(number));
    for (std::size_t i = 0; i < sizeof addresses_; ++i) addresses_[i] = static_cast<std::uint8_t>(number + i);
    segment.sequence = number;
    segment.version = number % 3 == 0 ? 6 : 4;
    if (segment.version == 6) segment.addresses6 = addresses_;
    else segment.addresses4 = number * std::uint64_t{0x100000001};
    segment.data = bytes_.data();
    segment.captured = segment.payload_length = static_cast<std::uint32_t>(bytes_.size());
    segment.hash = number * std::uint64_t{77};
  }
  std::uint8_t shard() const { return static_cast<std::uint8_t>(segment.sequence % 64); }
  bool is(const PayloadSegment& other, std::uint8_t other_shard) const {
    const bool same_addresses = segment.version == 6 ? std::memcmp(other.addresses6, addresses_, 32) == 0
                                                     : other.addresses4 == segment.addresses4;
    return other_shard == shard() && other.sequence == segment.sequence && other.version == segment.version &&
           same_addresses && other.hash == segment.hash && other.captured == segment.captured &&
           std::equal(bytes_.begin(), bytes_.end(), other.data);
  }

  PayloadSegment segment{};

 private:
  std::vector<std::uint8_t> bytes_;
  std::uint8_t addresses_[32];
};

TEST(PayloadQueue, GivesWhatWasPutInWhileMoreComes) {
  constexpr std::uint32_t kAll = 30'000;
  PayloadQueue queue(0);
  std::jthread producer([&queue] {
    for (std::uint32_t i = 0; i < kAll; ++i) {
      const Numbered next(i);
      while (!queue.push(next.segment, next.shard())) {
        queue.publish();
        std::this_thread::yield();
      }
      if (i % 7 == 0) queue.publish();
    }
    queue.publish();
  });
  PayloadBatch batch(40);
  std::uint32_t got = 0;
  bool right = true;
  while (got < kAll && right) {
    batch.reset(0);
    queue.front(batch);
    for (std::uint32_t i = 0; i < batch.count && right; ++i) {
      right = Numbered(got++).is(batch.segment[i], batch.shard[i]);
    }
    queue.pop();
    if (batch.count == 0) std::this_thread::yield();
  }
  EXPECT_TRUE(right) << "at " << got;
  EXPECT_TRUE(queue.is_empty());
  if (!right) std::quick_exit(1);  // the producer would wait for ever
}

TEST(PayloadQueue, RefusesWhatItHasNoRoomFor) {
  PayloadQueue queue(0);
  std::uint32_t put = 0;
  for (;; ++put) {
    const Numbered next(put);
    if (!queue.push(next.segment, next.shard())) break;
  }
  EXPECT_GT(put, 100u);
  EXPECT_TRUE(queue.is_empty());  // nothing is published yet
  queue.publish();
  PayloadBatch batch(put + 10);
  queue.front(batch);
  EXPECT_EQ(batch.count, put);
  queue.pop();
  EXPECT_TRUE(queue.push(Numbered(put).segment, 0));
}

}  // namespace
}  // namespace warpmeter::test
