// How long others are waited for before a capture.
#include "command/live/start_limit.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

bool becomes_true(const std::atomic<bool>& over) {
  for (int i = 0; i < 1000 && !over; ++i) std::this_thread::sleep_for(10ms);
  return over;
}

TEST(StartLimit, UntilItIsToldToStopOrTheDurationHasPassed) {
  std::atomic<bool> stop = false;
  StartLimit limited(stop, 50ms), endless(stop, 0ms);
  EXPECT_TRUE(becomes_true(limited.over()));
  EXPECT_FALSE(endless.over());
  stop = true;
  EXPECT_TRUE(becomes_true(endless.over()));
}

TEST(StartLimit, NotOnceTheCaptureHasBegun) {
  std::atomic<bool> stop = false;
  StartLimit limit(stop, 100ms);
  limit.end();
  stop = true;
  std::this_thread::sleep_for(150ms);
  EXPECT_FALSE(limit.over());
}

}  // namespace
}  // namespace warpmeter
