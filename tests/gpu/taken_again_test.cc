// So little room on a GPU that flows are let go, handed over to the CPU and taken again, many times in a run: what it
// says is what the oracle says, byte for byte.
#include <gtest/gtest.h>

#include "gpu/require_gpu.h"
#include "property/in_process.h"
#include "property/tallied_meter.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::Setting;

constexpr std::uint64_t kTakenAgainCases = 8, kMostCases = 40;

class GpuTakesAgain : public test::NeedsGpu, public testing::WithParamInterface<unsigned> {
 protected:
  Setting on_gpu(std::uint64_t seed, unsigned tile) {
    Setting setting{.threads = 2, .batch = 4};
    setting.backend = Backend::cuda;
    setting.make_device = [this, seed, tile](DeviceMeterOptions options) {
      options.tile = tile;
      options.flows = 20;
      options.hole_units = 2u << 4 * (seed % 2);
      return std::make_unique<test::TalliedMeter>(make_cuda_meter(0, options), tally_);
    };
    return setting;
  }

  // Until it `happens`: when there is room again to take flows, threads decide.
  void check(reference::Options options, const std::atomic<std::uint64_t>& happens) {
    const test::SilentErrors silent;
    options.block = 20;
    options.idle_timeout = 1'000'000'000;
    const std::uint64_t cases = test::property_cases(kTakenAgainCases);
    for (std::uint64_t seed = 0; seed < cases || (happens == 0 && seed < kMostCases); ++seed) {
      reference::TrafficShape shape;
      shape.seed = seed;
      shape.packets = 500;
      shape.keys = 20;
      shape.gap_percent = 12;
      shape.holes = seed % 2 ? 200 : 30;
      shape.idle_timeout = options.idle_timeout;
      const auto bytes = reference::random_traffic(shape);
      test::InProcess program;
      const auto got = program.run({bytes}, options, on_gpu(seed, GetParam()));
      ASSERT_TRUE(test::same_csv(reference::flow_csv(bytes, options), got.csv)) << "seed " << seed;
    }
    EXPECT_GT(tally_.expired, 0u);
  }

  test::MeterTally tally_;
};

TEST_P(GpuTakesAgain, FlowsThatWereHandedOver) {
  check({}, tally_.taken_again);
  EXPECT_GT(tally_.handed_over, 0u);
  EXPECT_GT(tally_.taken_again, 0u);
}

TEST_P(GpuTakesAgain, FlowsOfRememberedBlocks) {
  reference::Options options;
  options.method = reference::Method::five_tuple;
  check(options, tally_.expired);
}

INSTANTIATE_TEST_SUITE_P(AllSizes, GpuTakesAgain, testing::Values(1, 2, 4, 8, 16, 32));

}  // namespace
}  // namespace warpmeter
