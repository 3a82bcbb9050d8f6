// Work in several threads: all of them do it, and what one throws comes out when all have ended.
#include "base/threads/in_threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <set>
#include <vector>

#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

TEST(InThreads, IsDoneByEach) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::mutex mutex;
    std::set<unsigned> calls;
    in_threads(threads, [&](unsigned i) {
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(calls.insert(i).second);
    });
    EXPECT_EQ(calls.size(), threads);
    EXPECT_EQ(*calls.rbegin(), threads - 1);
  }
}

TEST(InThreads, ThrowWhatOneThrewWhenAllHaveEnded) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::atomic<unsigned> calls = 0;
    EXPECT_EQ(test::thrown_text([&] {
                in_threads(threads, [&](unsigned) {
                  if (++calls == 1) throw Error("the first");
                });
              }),
              "the first");
    EXPECT_EQ(calls, threads);
  }
}

// The others wait for the last, which fails.
TEST(InThreads, SayAtOnceThatOneFailed) {
  for (const unsigned threads : {2u, 7u}) {
    std::atomic<bool> failed = false;
    const auto work = [&](unsigned i) {
      if (i + 1 == threads) throw std::bad_alloc();
      failed.wait(false);
    };
    const auto fail = [&] {
      failed = true;
      failed.notify_all();
    };
    EXPECT_THROW(in_threads(threads, work, fail), std::bad_alloc);
  }
}

TEST(ForEachIndex, EachIsDoneOnce) {
  for (const std::size_t count : {0u, 1u, 5u, 1000u}) {
    for (const unsigned threads : {1u, 2u, 7u}) {
      std::vector<std::atomic<int>> done(count);
      for_each_index(count, threads, [&](std::size_t i) { ++done[i]; });
      EXPECT_TRUE(std::all_of(done.begin(), done.end(), [](const auto& n) { return n == 1; }));
    }
  }
}

TEST(ForEachIndex, NothingIsBegunBehindAFailure) {
  std::size_t last = 0;
  EXPECT_EQ(test::thrown_text([&] {
              for_each_index(10, 1, [&](std::size_t i) {
                last = i;
                if (i == 3) throw Error("the fourth");
              });
            }),
            "the fourth");
  EXPECT_EQ(last, 3u);
}

}  // namespace
}  // namespace warpmeter
