// Readers of stretches settle in trace order, however they finish; nobody waits for a turn that will not come.
#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>
#include <vector>

#include "pipeline/batch_ring.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kBatches = 300;

TEST(BatchRingTurn, ReadersSettleInTraceOrder) {
  BatchRing ring(5, 4, *std::pmr::new_delete_resource(), 2);
  std::vector<std::uint64_t> settled;  // plain: only whose turn it is comes here
  const auto read = [&] {
    while (const auto batch = ring.begin_read()) {
      const bool more = *batch < kBatches;
      ring.frames_read(more);
      if (!more) continue;
      if (*batch % 3 == 0) std::this_thread::yield();
      EXPECT_TRUE(ring.wait_for_turn(*batch));
      settled.push_back(*batch);
      ring.settled(*batch);
      ring.decoded(*batch);
    }
  };
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 4; ++i) readers.emplace_back(read);
    for (std::uint64_t batch = 0; ring.wait_until_decoded(batch); ++batch) {
      ring.submitted(batch);
      ring.collected(batch);
      ring.release(batch);
    }
  }
  ASSERT_EQ(settled.size(), kBatches);
  for (std::uint64_t i = 0; i < kBatches; ++i) EXPECT_EQ(settled[i], i);
}

TEST(BatchRingTurn, FailureWakesThoseWhoWait) {
  BatchRing ring(3, 4, *std::pmr::new_delete_resource(), 2);
  for (int i = 0; i < 2; ++i) {
    ring.begin_read();
    ring.frames_read(true);
  }
  EXPECT_TRUE(ring.wait_for_turn(0));  // and is never settled
  bool turn = true;
  {
    const std::jthread second([&] { turn = ring.wait_for_turn(1); });
    ring.fail(std::make_exception_ptr(std::runtime_error("over")));
  }
  EXPECT_FALSE(turn);
}

}  // namespace
}  // namespace warpmeter
