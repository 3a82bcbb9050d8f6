// What follows from the options of live.
#include "live/run_options.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

// A flow is found to be idle within half of the latency: what a ring holds back, five times this, is less.
TEST(RunOptions, WhatABlockHoldsBackIsASmallPartOfTheLatency) {
  EXPECT_EQ(block_ms_of(1h, true), 50u);
  EXPECT_EQ(block_ms_of(1s, true), 50u);
  EXPECT_EQ(block_ms_of(1s, false), 10u);
  EXPECT_EQ(block_ms_of(100ms, true), 5u);
  EXPECT_EQ(block_ms_of(100ms, false), 5u);
  EXPECT_EQ(block_ms_of(10ms, true), 1u);
  for (const std::chrono::milliseconds latency : {10ms, 20ms, 50ms, 100ms, 500ms, 1000ms}) {
    EXPECT_LE(5 * block_ms_of(latency, true), latency.count() / 2) << latency.count();
  }
}

}  // namespace
}  // namespace warpmeter
