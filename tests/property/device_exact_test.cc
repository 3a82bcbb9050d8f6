// Method exact: the engine of the CUDA backend, for every tile size, says what the oracle says, byte for byte: whatever
// the cuts between batches, however many devices share the flows, however many of them they have to hand over to the
// CPU or let go.
#include <gtest/gtest.h>

#include "kernels/tile_sizes.h"
#include "property/engine_under_test.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::EngineUnderTest;
using test::InProcess;
using test::Setting;

class DeviceExact : public testing::TestWithParam<unsigned> {
 protected:
  // Lanes as fibers are slow: fewer cases for larger tiles.
  std::uint64_t cases() const {
    return test::property_cases(test::kDeviceCases) / (GetParam() == 1 ? 2 : GetParam() <= 8 ? 5 : 8);
  }
  std::uint64_t first_seed() const { return 100'000 * GetParam(); }

  EngineUnderTest engine(std::uint64_t seed) const {
    // Pieces as small as lets them occur at all: a run has a few segments.
    return {
        .tile = GetParam(), .piece = std::uint32_t{1} << (1 + seed % 5), .threads = 3, .seed = seed, .tally = &tally_};
  }

  // The statistics of a run whose output is the oracle's.
  nlohmann::json check(const reference::RandomCase& chosen, const EngineUnderTest& engine, std::uint32_t batch,
                       std::uint32_t full_counter = UINT32_MAX) {
    const auto bytes = reference::random_traffic(chosen.shape);
    const std::uint64_t seed = chosen.shape.seed;
    const Setting setting = test::on_engine_under_test({.threads = static_cast<unsigned>(1 + seed % 3),
                                                        .batch = batch,
                                                        .full_counter = full_counter,
                                                        .devices = seed % 2 ? 1 : static_cast<int>(1 + seed % 7)},
                                                       engine);
    InProcess program;
    const auto got = program.run({bytes}, chosen.options, setting);
    // Where time runs back so far that a flow was gone, the output may differ.
    if (got.stats["late packets"].get<std::uint64_t>() == 0) {
      EXPECT_TRUE(test::same_csv(reference::flow_csv(bytes, chosen.options), got.csv))
          << "seed " << seed << ", " << setting << ", flows " << engine.flows << ", hole units " << engine.hole_units
          << ", options " << test::arguments_text(chosen.options);
    }
    return got.stats;
  }

  mutable test::MeterTally tally_;
};

TEST_P(DeviceExact, AgreesWithTheOracle) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + cases() && !HasFailure(); ++seed) {
    const std::uint32_t batches[] = {8192, 1, 7, 64};
    const std::uint64_t before = tally_.handed_over;  // few flows have more holes than the device's largest block
    const auto stats = check(reference::random_case(seed), engine(seed), batches[seed % 4]);
    ASSERT_EQ(stats["metered on the CPU"].get<std::uint64_t>() > 0, tally_.handed_over > before);
  }
  EXPECT_LT(tally_.handed_over, cases() / 8 + 2);  // few cases may have one more than their share
}

// Flows with more holes than the device has room for.
TEST_P(DeviceExact, HandsFlowsOverToTheCpu) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + cases() && !HasFailure(); ++seed) {
    reference::RandomCase chosen = reference::random_case(seed);
    chosen.shape.holes = seed % 3 ? 300 : 30;
    EngineUnderTest device = engine(seed);
    device.hole_units = std::uint32_t{1} << seed % 6;
    const std::uint32_t batches[] = {8192, 1, 7, 64};
    check(chosen, device, batches[seed % 4], seed % 3 ? UINT32_MAX : 5);
  }
  EXPECT_GT(tally_.handed_over, cases() / 4);
}

// Room for some of the flows only: idle ones are let go, ids are used again, and what finds no room is metered on the
// CPU until there is room again.
TEST_P(DeviceExact, MakesRoom) {
  const test::SilentErrors silent;
  std::uint64_t shared = 0;
  for (std::uint64_t seed = first_seed(); seed < first_seed() + cases() && !HasFailure(); ++seed) {
    reference::RandomCase chosen = reference::random_case(seed);
    chosen.shape.keys = 20 + static_cast<std::uint32_t>(seed % 50);
    chosen.shape.packets = 400;
    chosen.shape.gap_percent = 1;
    chosen.shape.time_runs_back = chosen.shape.time_runs_back && seed % 4 == 0;
    EngineUnderTest device = engine(seed);
    device.flows = static_cast<std::uint32_t>(8 + seed % 40);
    if (seed % 5 == 0) device.hole_units = 4;
    const std::uint32_t batches[] = {1, 2, 7};
    const auto stats = check(chosen, device, batches[seed % 3]);
    const auto on_cpu = stats["metered on the CPU"].get<std::uint64_t>();
    shared += on_cpu > 0 && on_cpu < stats["packets metered"].get<std::uint64_t>();
  }
  EXPECT_GT(shared, cases() / 4);
  EXPECT_GT(tally_.expired, cases() / 4);
  EXPECT_GT(tally_.taken_again, cases() / 20);
}

INSTANTIATE_TEST_SUITE_P(AllSizes, DeviceExact, testing::ValuesIn(test::tile_sizes()));

}  // namespace
}  // namespace warpmeter
