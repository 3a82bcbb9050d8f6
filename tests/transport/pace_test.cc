// Never faster than asked for. (Slower is the machine's business.)
#include "transport/pace.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

using Clock = std::chrono::steady_clock;

TEST(Pace, TakesItsTime) {
  Pace pace(10'000);
  const auto start = Clock::now();
  for (int i = 0; i <= 50; ++i) pace.wait_for(20);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(98));  // 1,000 records, but for what catches up
}

TEST(Pace, SilenceIsNotSavedUp) {
  Pace pace(10'000);
  pace.wait_for(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  const auto start = Clock::now();
  for (int i = 0; i <= 50; ++i) pace.wait_for(10);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(47));
}

TEST(Pace, ZeroIsNoLimit) {
  Pace pace(0);
  const auto start = Clock::now();
  for (int i = 0; i < 1000; ++i) pace.wait_for(UINT64_MAX);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace warpmeter
