// What follows from the options of live.
#include "command/live/run_options.h"

#include <gtest/gtest.h>

#include "packet/nic/ring/ring.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

// A flow is found to be idle within half of the latency: what a ring holds back is half of that.
TEST(RunOptions, WhatABlockHoldsBackIsASmallPartOfTheLatency) {
  EXPECT_EQ(block_ms_of(1h, true), 100u);
  EXPECT_EQ(block_ms_of(1s, true), 100u);
  EXPECT_EQ(block_ms_of(1s, false), 10u);
  EXPECT_EQ(block_ms_of(100ms, true), 5u);
  EXPECT_EQ(block_ms_of(100ms, false), 5u);
  EXPECT_EQ(block_ms_of(10ms, true), 1u);
  EXPECT_LE(delay_of_block(std::chrono::milliseconds(block_ms_of(10ms, true))), 10ms / 2);
  for (const std::chrono::milliseconds latency : {20ms, 50ms, 100ms, 250ms, 500ms, 1000ms}) {
    const std::chrono::milliseconds block(block_ms_of(latency, true));
    EXPECT_LE(delay_of_block(block), latency / 4) << latency.count();
    EXPECT_GE(delay_of_block(block + 1ms), latency / 4) << latency.count();
  }
}

TEST(RunOptions, NamedGpuIsToldWhereNoneIsTaken) {
  std::string told;
  ExtractOptions options;
  options.warn = [&told](const std::string& line) { told += line; };
  backend_of_live(options);
  EXPECT_EQ(told, "");
  options.gpu_named = true;
  backend_of_live(options);
  EXPECT_EQ(told, "--gpu and --gpu-memory have no effect: live takes a GPU with --backend cuda alone");
}

}  // namespace
}  // namespace warpmeter
