// Batches that a GPU is given as one graph, which is made for more packets than most of them have: what it says is what
// the oracle says, byte for byte.
#include <gtest/gtest.h>

#include "gpu/require_gpu.h"
#include "property/in_process.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::Setting;

constexpr std::uint64_t kPaddedCases = 6;

class GpuGraphs : public test::NeedsGpu, public testing::WithParamInterface<unsigned> {};

TEST_P(GpuGraphs, PaddingChangesNothing) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 0; seed < test::property_cases(kPaddedCases) && !HasFailure(); ++seed) {
    reference::RandomCase chosen = reference::random_case(seed);
    // Batches are looked back at by few packets, so that next to these padding is not too much for a graph.
    chosen.options.duplicate_window = chosen.shape.duplicate_window = 3;
    chosen.shape.packets = 1000;
    Setting setting{.threads = 2, .batch = seed % 2 ? 100u : 37u};
    setting.backend = Backend::cuda;
    setting.make_device = [](DeviceMeterOptions options) {
      options.tile = GetParam();
      options.piece = 4;
      options.flows = 1 << 12;
      options.hole_units = 1 << 12;
      return make_cuda_meter(0, options);
    };
    const auto bytes = reference::random_traffic(chosen.shape);
    test::InProcess program;
    const auto got = program.run({bytes}, chosen.options, setting);
    if (got.stats["late packets"].get<std::uint64_t>() > 0) continue;  // the output may differ then
    EXPECT_TRUE(test::same_csv(reference::flow_csv(bytes, chosen.options), got.csv)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(SomeSizes, GpuGraphs, testing::Values(4, 32));

}  // namespace
}  // namespace warpmeter
