#include "command/memory/stream_memory.h"

#include <gtest/gtest.h>

#include <functional>
#include <queue>
#include <random>
#include <vector>

namespace warpmeter {
namespace {

TEST(DueTimes, NothingIsDueAtItsTimeButAfterIt) {
  DueTimes due;
  EXPECT_FALSE(due.is_due(DueTimes::kNever));
  due.put(10, 1);
  EXPECT_FALSE(due.is_due(10));
  EXPECT_TRUE(due.is_due(11));
  EXPECT_EQ(due.take().number, 1u);
  EXPECT_FALSE(due.is_due(11));
}

TEST(DueTimes, AreTakenAsFromAHeap) {
  std::mt19937_64 random(5);
  DueTimes due;
  std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> heap;
  std::uint64_t now = 0;
  std::uint32_t number = 0;
  for (int i = 0; i < 50'000; ++i) {
    now += random() % 3 ? random() % 5 : random() % 100'000;
    while (!heap.empty() && heap.top() < now) {
      ASSERT_TRUE(due.is_due(now));
      ASSERT_EQ(due.take().time, heap.top());
      heap.pop();
    }
    ASSERT_FALSE(due.is_due(now));
    for (std::uint64_t k = random() % 3; k > 0; --k) {
      const std::uint64_t time = now + (random() % 2 ? random() % 1000 : random() % 1'000'000'000'000);
      due.put(time, ++number);
      heap.push(time);
    }
  }
  ASSERT_GT(heap.size(), 100u);
}

TEST(DueTimes, ForgottenOnesAreNotDue) {
  DueTimes due;
  for (std::uint32_t i = 0; i < 1000; ++i) due.put(1000 + i, i);
  const std::size_t before = due.memory();
  due.remove_if([](const DueTimes::Entry& entry) { return entry.number != 700; });
  EXPECT_LT(due.memory(), before / 100);
  EXPECT_FALSE(due.is_due(1700));
  ASSERT_TRUE(due.is_due(1701));
  EXPECT_EQ(due.take().time, 1700u);
  EXPECT_FALSE(due.is_due(DueTimes::kNever));
}

}  // namespace
}  // namespace warpmeter
