// Never faster than asked for. (Slower is the machine's business.)
#include "record/collector/datagram_sender.h"

#include <gtest/gtest.h>

#include <atomic>

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

TEST(Pace, WhoIsInterruptedHasTenSeconds) {
  std::atomic<bool> interrupted = false;
  Pace pace(10, [&] { return interrupted.load(); });
  EXPECT_TRUE(pace.wait_for(5));
  EXPECT_TRUE(pace.wait_for(10'000));  // after half a second
  std::jthread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    interrupted = true;
  });
  const auto start = Clock::now();
  EXPECT_FALSE(pace.wait_for(1));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(60));  // and not a thousand
  const auto second = Clock::now();
  EXPECT_FALSE(pace.wait_for(1));
  EXPECT_LT(Clock::now() - second, std::chrono::milliseconds(500));
}

TEST(Pace, WhoGivesUpWaitsNoMore) {
  std::atomic<bool> gives_up = false;
  Pace pace(1, {}, &gives_up);
  EXPECT_TRUE(pace.wait_for(1000));
  std::jthread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    gives_up = true;
  });
  const auto start = Clock::now();
  EXPECT_FALSE(pace.wait_for(1));
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(20));
}

TEST(Pace, WhatIsInTimeStillGoes) {
  Pace pace(100, [] { return true; });
  for (int i = 0; i < 150; ++i) EXPECT_TRUE(pace.wait_for(1)) << i;
}

TEST(Pace, ZeroIsNoLimit) {
  Pace pace(0);
  const auto start = Clock::now();
  for (int i = 0; i < 1000; ++i) pace.wait_for(UINT64_MAX);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(30));
}

}  // namespace
}  // namespace warpmeter
