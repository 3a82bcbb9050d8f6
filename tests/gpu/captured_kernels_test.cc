// Kernels that were captured as a graph do with each launch what they did when they were launched one by one.
#include "gpu/captured_kernels.h"

#include <gtest/gtest.h>

#include <numeric>

#include "gpu/require_gpu.h"

namespace warpmeter::test {
namespace {

using CapturedKernels = NeedsGpu;

TEST_F(CapturedKernels, DoTheSameAtEachLaunchAsOfTheLastUpdate) {
  std::vector<std::uint32_t> values(1000);
  std::iota(values.begin(), values.end(), 5u);
  std::vector<std::uint32_t> expected = values;
  for (int launch = 0; launch < 3; ++launch) {
    for (std::uint32_t& value : expected) value = (value + 11) * 3;
  }
  const CapturedRun run = run_captured(values, 7, 11, 3);
  EXPECT_EQ(run.values, expected);
  EXPECT_EQ(run.told, 3u);
}

}  // namespace
}  // namespace warpmeter::test
