// The queue of chunks: order, its bound, what closing does to those who wait; with one thread and with many.
#include "pipeline/metering/device_metering.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>
#include <vector>

#include "support/record_maker.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMost = 4;  // chunks that wait at a time; each may hold 4096 partials or a batch's

// A chunk that can be told from others.
PartialChunk chunk(std::uint64_t number) { return {test::test_record(1, 0, 0, number)}; }

// The number of the next chunk; nothing at the end.
std::optional<std::uint64_t> popped(ChunkQueue& queue) {
  const std::optional<PartialChunk> next = queue.pop();
  return next ? std::optional(next->at(0).arrival) : std::nullopt;
}

template <class Call>
std::future<std::invoke_result_t<Call>> on_its_own(Call call) {
  return std::async(std::launch::async, std::function<std::invoke_result_t<Call>()>(call));
}

// Looked at for a moment only: what should wait is never mistaken for what does not.
template <class Result>
bool waits(const std::future<Result>& result) {
  return result.wait_for(20ms) == std::future_status::timeout;
}

TEST(ChunkQueue, GivesWhatWasPushedInOrder) {
  ChunkQueue queue;
  for (std::uint64_t round = 0; round < 10; round += 2) {
    queue.push(chunk(round));
    queue.push(chunk(round + 1));
    EXPECT_EQ(popped(queue), round);
    EXPECT_EQ(popped(queue), round + 1);
  }
}

TEST(ChunkQueue, GivesTheRestAfterItIsClosed) {
  ChunkQueue queue;
  queue.push(chunk(1));
  queue.push(chunk(2));
  queue.close();
  queue.close();
  EXPECT_EQ(popped(queue), 1u);
  EXPECT_EQ(popped(queue), 2u);
  EXPECT_EQ(popped(queue), std::nullopt);
  EXPECT_EQ(popped(queue), std::nullopt);
}

TEST(ChunkQueue, DropsWhatIsPushedAfterItIsClosed) {
  ChunkQueue queue;
  queue.push(chunk(1));
  queue.close();
  for (std::uint64_t i = 0; i < 2 * kMost; ++i) queue.push(chunk(100 + i));  // nor does it wait for room
  EXPECT_EQ(popped(queue), 1u);
  EXPECT_EQ(popped(queue), std::nullopt);
}

TEST(ChunkQueue, PusherWaitsWhileItIsFull) {
  ChunkQueue queue;
  for (std::uint64_t i = 0; i < kMost; ++i) queue.push(chunk(i));
  const auto pusher = on_its_own([&] { queue.push(chunk(kMost)); });
  EXPECT_TRUE(waits(pusher));
  EXPECT_EQ(popped(queue), 0u);
  pusher.wait();
  for (std::uint64_t i = 1; i <= kMost; ++i) EXPECT_EQ(popped(queue), i);
}

TEST(ChunkQueue, ClosingWakesThePusherAndDropsItsChunk) {
  ChunkQueue queue;
  for (std::uint64_t i = 0; i < kMost; ++i) queue.push(chunk(i));
  const auto pusher = on_its_own([&] { queue.push(chunk(kMost)); });
  const auto another = on_its_own([&] { queue.push(chunk(kMost + 1)); });
  EXPECT_TRUE(waits(pusher) && waits(another));
  queue.close();
  pusher.wait();
  another.wait();
  for (std::uint64_t i = 0; i < kMost; ++i) EXPECT_EQ(popped(queue), i);
  EXPECT_EQ(popped(queue), std::nullopt);
}

TEST(ChunkQueue, PopperWaitsForAChunk) {
  ChunkQueue queue;
  auto popper = on_its_own([&] { return popped(queue); });
  EXPECT_TRUE(waits(popper));
  queue.push(chunk(7));
  EXPECT_EQ(popper.get(), 7u);
}

TEST(ChunkQueue, ClosingWakesAllPoppers) {
  ChunkQueue queue;
  auto popper = on_its_own([&] { return popped(queue); });
  auto another = on_its_own([&] { return popped(queue); });
  EXPECT_TRUE(waits(popper) && waits(another));
  queue.close();
  EXPECT_EQ(popper.get(), std::nullopt);
  EXPECT_EQ(another.get(), std::nullopt);
}

struct Crowd {
  unsigned pushers, poppers;
  std::uint64_t chunks;  // of each pusher
};

class ChunkQueueCrowd : public testing::TestWithParam<Crowd> {};

TEST_P(ChunkQueueCrowd, EveryChunkComesOutOnce) {
  const Crowd crowd = GetParam();
  ChunkQueue queue;
  std::vector<std::atomic<int>> times(crowd.pushers * crowd.chunks);
  std::atomic<int> out_of_order = 0;
  {
    std::vector<std::jthread> poppers;
    for (unsigned p = 0; p < crowd.poppers; ++p) {
      poppers.emplace_back([&] {
        std::vector<std::uint64_t> next(crowd.pushers);  // what one popper sees of a pusher keeps its order
        while (const auto number = popped(queue)) {
          ++times[*number];
          out_of_order += *number % crowd.chunks < next[*number / crowd.chunks];
          next[*number / crowd.chunks] = *number % crowd.chunks + 1;
        }
      });
    }
    {
      std::vector<std::jthread> pushers;
      for (unsigned p = 0; p < crowd.pushers; ++p) {
        pushers.emplace_back([&, p] {
          for (std::uint64_t i = 0; i < crowd.chunks; ++i) queue.push(chunk(p * crowd.chunks + i));
        });
      }
    }
    queue.close();
  }
  for (const auto& once : times) EXPECT_EQ(once, 1);
  EXPECT_EQ(out_of_order, 0);
}

INSTANTIATE_TEST_SUITE_P(ChunkQueue, ChunkQueueCrowd,
                         testing::Values(Crowd{1, 1, 2000}, Crowd{4, 1, 500}, Crowd{1, 4, 1000}, Crowd{5, 3, 400}));

}  // namespace
}  // namespace warpmeter
