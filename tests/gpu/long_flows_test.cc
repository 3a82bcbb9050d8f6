// Flows of many more segments than a tile has lanes: they are summed segment by segment and piece by piece, and say on
// a GPU what the oracle says, byte for byte.
#include <gtest/gtest.h>

#include "gpu/require_gpu.h"
#include "property/in_process.h"
#include "property/many_flows.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::Setting;

constexpr std::uint64_t kLongCases = 10;
constexpr std::uint32_t kFlows = 3, kPackets = 2000;  // every fourth flow is of UDP, whose packets never ask for more

Setting on_gpu(std::uint64_t seed, unsigned tile) {
  Setting setting{.threads = 2, .batch = seed % 2 ? 8192u : 500u};
  setting.full_counter = seed % 3 ? UINT32_MAX : 100;
  setting.backend = Backend::cuda;
  setting.make_device = [=](DeviceMeterOptions options) {
    options.tile = tile;
    options.piece = std::uint32_t{1} << (1 + seed % 7);
    options.flows = 1 << 10;
    options.hole_units = 1 << 10;
    return make_cuda_meter(0, options);
  };
  return setting;
}

class GpuLongFlows : public test::NeedsGpu, public testing::WithParamInterface<unsigned> {
 protected:
  void check(const reference::Options& options) {
    const test::SilentErrors silent;
    for (std::uint64_t seed = GetParam(); seed < GetParam() + test::property_cases(kLongCases); ++seed) {
      const auto bytes = test::ManyFlows(seed, kFlows).capture(kPackets);
      const Setting setting = on_gpu(seed, GetParam());
      test::InProcess program;
      ASSERT_TRUE(test::same_csv(reference::flow_csv(bytes, options), program.run({bytes}, options, setting).csv))
          << "seed " << seed << ", " << setting;
    }
  }
};

TEST_P(GpuLongFlows, AddUpExactly) { check({}); }

TEST_P(GpuLongFlows, AddUpByFiveTuple) {
  reference::Options options;
  options.method = reference::Method::five_tuple;
  options.block = 1 << 12;
  check(options);
}

INSTANTIATE_TEST_SUITE_P(AllSizes, GpuLongFlows, testing::Values(1, 2, 4, 8, 16, 32));

}  // namespace
}  // namespace warpmeter
