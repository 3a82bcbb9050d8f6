// Work in several threads: all of them do it, and what one throws comes out when all have ended.
#include "pipeline/batches/in_threads.h"

#include <gtest/gtest.h>

#include <atomic>

#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

TEST(InThreads, IsDoneByEach) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::atomic<unsigned> calls = 0;
    in_threads(threads, [&] { ++calls; });
    EXPECT_EQ(calls, threads);
  }
}

TEST(InThreads, ThrowWhatOneThrewWhenAllHaveEnded) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    std::atomic<unsigned> calls = 0;
    EXPECT_EQ(test::thrown_text([&] {
                in_threads(threads, [&] {
                  if (++calls == 1) throw Error("the first");
                });
              }),
              "the first");
    EXPECT_EQ(calls, threads);
  }
}

}  // namespace
}  // namespace warpmeter
