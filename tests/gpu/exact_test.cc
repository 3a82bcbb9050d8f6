// Method exact on a GPU says what the oracle says, byte for byte, for every tile size, any batches, and where there is
// room for some of the flows or of their holes only.
#include <gtest/gtest.h>

#include <algorithm>

#include "gpu/require_gpu.h"
#include "property/in_process.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;

constexpr std::uint64_t kCases = 60;
constexpr std::uint32_t kMostBatches = 200;

// Room in the tables. Not what memory allows: thousands of cases must not clear gigabytes each.
struct Room {
  std::uint32_t flows = 1 << 13;
  std::uint32_t hole_units = 1 << 14;
};

Setting on_gpu(std::uint64_t seed, unsigned tile, std::uint32_t batch, const Room& room) {
  Setting setting{.threads = static_cast<unsigned>(1 + seed % 3), .batch = batch};
  setting.backend = Backend::cuda;
  setting.make_device = [=](DeviceMeterOptions options) {
    options.tile = tile;
    options.piece = std::uint32_t{1} << (1 + seed % 6);
    options.flows = room.flows;
    options.hole_units = room.hole_units;
    return make_cuda_meter(0, options);
  };
  return setting;
}

class GpuExact : public test::NeedsGpu, public testing::WithParamInterface<unsigned> {
 protected:
  static std::uint64_t first_seed() { return 200'000 * GetParam(); }
  static std::uint64_t cases() { return test::property_cases(kCases); }
  static std::uint64_t last_seed() { return first_seed() + cases(); }

  // What the run says of itself.
  static nlohmann::json check(reference::RandomCase chosen, std::uint32_t batch, const Room& room) {
    const std::uint64_t seed = chosen.shape.seed;
    if (batch == 1) chosen.shape.packets = std::min(chosen.shape.packets, kMostBatches);
    const auto bytes = reference::random_traffic(chosen.shape);
    const Setting setting = on_gpu(seed, GetParam(), batch, room);
    InProcess program;
    const auto got = program.run({bytes}, chosen.options, setting);
    // Where time runs back so far that a flow was gone, the output may differ.
    if (got.stats["late packets"].get<std::uint64_t>() == 0) {
      EXPECT_TRUE(test::same_csv(reference::flow_csv(bytes, chosen.options), got.csv))
          << "seed " << seed << ", " << setting << ", flows " << room.flows << ", hole units " << room.hole_units
          << ", options " << test::arguments_text(chosen.options);
    }
    return got.stats;
  }
};

TEST_P(GpuExact, AgreesWithTheOracle) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = first_seed(); seed < last_seed() && !HasFailure(); ++seed) {
    const std::uint32_t batches[] = {8192, 1, 7, 64};
    check(reference::random_case(seed), batches[seed % 4], {});
  }
}

// Flows with more holes than there is memory for: the CPU takes them over.
TEST_P(GpuExact, HandsFlowsOverToTheCpu) {
  const test::SilentErrors silent;
  std::uint64_t shared = 0;
  for (std::uint64_t seed = first_seed(); seed < last_seed() && !HasFailure(); ++seed) {
    reference::RandomCase chosen = reference::random_case(seed);
    chosen.shape.holes = seed % 3 ? 300 : 30;
    const std::uint32_t batches[] = {8192, 1, 7, 64};
    const auto stats = check(chosen, batches[seed % 4], {.hole_units = std::uint32_t{1} << seed % 6});
    shared += stats["metered on the CPU"].get<std::uint64_t>() > 0;
  }
  EXPECT_GE(shared, cases() / 8);
}

// Room for some of the flows only: idle ones are let go, their ids are used again, and what finds no room is metered on
// the CPU until there is room again.
TEST_P(GpuExact, MakesRoom) {
  const test::SilentErrors silent;
  std::uint64_t expired = 0;
  for (std::uint64_t seed = first_seed(); seed < last_seed() && !HasFailure(); ++seed) {
    reference::RandomCase chosen = reference::random_case(seed);
    chosen.shape.keys = 20 + static_cast<std::uint32_t>(seed % 50);
    chosen.shape.packets = 400;
    chosen.shape.gap_percent = 1;
    chosen.shape.time_runs_back = chosen.shape.time_runs_back && seed % 4 == 0;
    Room room{.flows = static_cast<std::uint32_t>(8 + seed % 40)};
    if (seed % 5 == 0) room.hole_units = 4;
    const std::uint32_t batches[] = {1, 2, 7, 64};
    const auto stats = check(chosen, batches[seed % 4], room);
    expired += stats["idle flows let go"].get<std::uint64_t>();
  }
  EXPECT_GE(expired, cases() / 8);
}

INSTANTIATE_TEST_SUITE_P(AllSizes, GpuExact, testing::Values(1, 2, 4, 8, 16, 32));

using GpuExactMemory = test::NeedsGpu;

TEST_F(GpuExactMemory, DefaultsUseWhatIsFree) {
  DeviceMeterOptions options;
  options.batch = 1 << 20;
  EXPECT_GT(make_cuda_meter(0, options)->block(), 0u);
}

TEST_F(GpuExactMemory, TooLittleIsAnErrorThatSaysHowMuch) {
  DeviceMeterOptions options;
  options.batch = 1 << 20;
  options.memory = 1 << 20;
  EXPECT_THROW(make_cuda_meter(0, options), DeviceError);
}

}  // namespace
}  // namespace warpmeter
