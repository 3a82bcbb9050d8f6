// Segments come out as they went in, whatever the two sides do at the same time; and it holds no more than it may.
#include "command/live/core_exchange.h"

#include <gtest/gtest.h>

#include <thread>

namespace warpmeter {
namespace {

QueuedSegment numbered(std::uint64_t number) {
  QueuedSegment s{};
  s.hash = number;
  s.segment.sequence = static_cast<std::uint32_t>(number * 7);
  return s;
}

TEST(SegmentQueue, HoldsAsManyAsItMay) {
  SegmentQueue queue(5);
  EXPECT_EQ(queue.capacity(), 8u);
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_TRUE(queue.push(numbered(i)));
  EXPECT_FALSE(queue.has_room());
  EXPECT_FALSE(queue.push(numbered(8)));
  EXPECT_TRUE(queue.is_empty()) << "nothing is published";
  EXPECT_TRUE(queue.front().empty());
  queue.publish();
  ASSERT_EQ(queue.front().size(), 8u);
  queue.pop(3);
  EXPECT_TRUE(queue.push(numbered(8)));
  queue.publish();
  ASSERT_EQ(queue.front().size(), 5u) << "up to where it goes round";
  EXPECT_EQ(queue.front()[0].hash, 3u);
  queue.pop(5);
  ASSERT_EQ(queue.front().size(), 1u);
  EXPECT_EQ(queue.front()[0].hash, 8u);
  queue.pop(1);
  EXPECT_TRUE(queue.is_empty());
}

TEST(SegmentQueue, TwoThreadsKeepTheOrder) {
  constexpr std::uint64_t kMany = 200'000;
  SegmentQueue queue(64);
  std::jthread producer([&queue] {
    for (std::uint64_t i = 0; i < kMany;) {
      if (queue.push(numbered(i))) ++i;
      else std::this_thread::yield();
      if (i % 7 == 0 || !queue.has_room()) queue.publish();
    }
    queue.publish();
  });
  for (std::uint64_t next = 0; next < kMany;) {
    const auto some = queue.front();
    for (const QueuedSegment& s : some) {
      ASSERT_EQ(s.hash, next);
      ASSERT_EQ(s.segment.sequence, static_cast<std::uint32_t>(next * 7));
      ++next;
    }
    queue.pop(some.size());
    if (some.empty()) std::this_thread::yield();
  }
}

}  // namespace
}  // namespace warpmeter
