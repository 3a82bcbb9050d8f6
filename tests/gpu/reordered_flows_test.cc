// Flows that open holes and close them again in the same batch, more of them than there is memory for holes: blocks go
// from flow to flow, and what a GPU says is what the oracle says, byte for byte.
#include <gtest/gtest.h>

#include "gpu/require_gpu.h"
#include "property/in_process.h"
#include "property/reordered_flows.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::Setting;

constexpr std::uint64_t kReorderedCases = 20;

class GpuReorderedFlows : public test::NeedsGpu, public testing::WithParamInterface<unsigned> {
 protected:
  static Setting on_gpu(std::uint64_t seed, unsigned tile) {
    const std::uint32_t batches[] = {50, 200, 1000, 64};
    Setting setting{.threads = 2, .batch = batches[seed % 4]};
    setting.backend = Backend::cuda;
    setting.make_device = [=](DeviceMeterOptions options) {
      options.tile = tile;
      options.flows = 1 << 10;
      options.hole_units = std::uint32_t{1} << (1 + seed % 5);
      return make_cuda_meter(0, options);
    };
    return setting;
  }
};

TEST_P(GpuReorderedFlows, ShareTheMemoryForHoles) {
  const test::SilentErrors silent;
  const reference::Options options;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + test::property_cases(kReorderedCases); ++seed) {
    const auto bytes = test::ReorderedFlows(seed, 40, seed % 3 ? 1 : 20).capture(seed % 3 ? 20 : 4);
    const Setting setting = on_gpu(seed, GetParam());
    test::InProcess program;
    const auto got = program.run({bytes}, options, setting);
    ASSERT_TRUE(test::same_csv(reference::flow_csv(bytes, options), got.csv)) << "seed " << seed << ", " << setting;
    EXPECT_GT(got.stats["metered on the CPU"].get<std::uint64_t>(), 0u) << "seed " << seed;
    EXPECT_LT(got.stats["metered on the CPU"].get<std::uint64_t>(), got.stats["packets metered"].get<std::uint64_t>());
  }
}

INSTANTIATE_TEST_SUITE_P(AllSizes, GpuReorderedFlows, testing::Values(1, 2, 4, 8, 16, 32));

}  // namespace
}  // namespace warpmeter
