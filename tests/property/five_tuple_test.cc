// Method five-tuple: the CPU backend and the engine of the CUDA backend, for every tile size, say what the oracle says,
// byte for byte.
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

struct Case {
  explicit Case(std::uint64_t number) : Case(reference::five_tuple_case(number)) {}
  explicit Case(const reference::RandomCase& random_case)
      : seed(random_case.shape.seed),
        chosen(random_case),
        bytes(reference::random_traffic(chosen.shape)),
        expected(reference::flow_csv(bytes, chosen.options)) {}

  testing::AssertionResult same_as(const Setting& setting) {
    InProcess program;
    const auto got = program.run({bytes}, chosen.options, setting);
    on_cpu = got.stats["metered on the CPU"].get<std::uint64_t>();
    metered = got.stats["packets metered"].get<std::uint64_t>();
    return test::same_csv(expected, got.csv)
           << "\nseed " << seed << ", " << setting << ", options " << test::arguments_text(chosen.options);
  }

  std::uint64_t seed;
  reference::RandomCase chosen;
  std::vector<std::uint8_t> bytes;
  std::string expected;
  // Of the last run: packets, and those of them that the device had no room for.
  std::uint64_t metered = 0, on_cpu = 0;
};

Setting cpu_setting(std::uint64_t seed, std::uint32_t batch) {
  return {.threads = static_cast<unsigned>(1 + seed % 3), .batch = batch};
}

TEST(FiveTuple, CpuAgreesWithTheOracle) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 1; seed <= test::property_cases(test::kDeviceCases); ++seed) {
    Case one(seed);
    ASSERT_TRUE(one.same_as(cpu_setting(seed, seed % 2 ? 8192 : 7)));
  }
}

// Lanes as fibers are slow: a few cases for each size.
class FiveTupleTiles : public testing::TestWithParam<unsigned> {};

TEST_P(FiveTupleTiles, EngineAgreesWithTheOracle) {
  const test::SilentErrors silent;
  std::uint64_t shared = 0;
  const std::uint64_t cases = test::property_cases(test::kDeviceCases) / (GetParam() == 1   ? 2
                                                                          : GetParam() <= 8 ? 4
                                                                                            : 8);
  for (std::uint64_t seed = 1000 * GetParam(); seed < 1000 * GetParam() + cases; ++seed) {
    Case one(seed);
    // Pieces as small as lets them occur at all: a run has a few segments.
    const auto piece = std::uint32_t{1} << (1 + seed % 5);
    EngineUnderTest engine{.tile = GetParam(), .piece = piece, .threads = 3, .seed = seed};
    // Room for some of the flows only: the others are metered on the CPU.
    if (seed % 3 == 0) engine.flows = static_cast<std::uint32_t>(1 + seed % 20);
    const std::uint32_t batches[] = {8192, 1, 7, 64};
    Setting setting = cpu_setting(seed, batches[seed % 4]);
    if (seed % 4 == 0) setting.devices = static_cast<int>(2 + seed % 5);
    ASSERT_TRUE(one.same_as(test::on_engine_under_test(setting, engine)));
    if (one.on_cpu > 0 && one.on_cpu < one.metered) ++shared;
    if (seed % 3) {
      ASSERT_EQ(one.on_cpu, 0u);
    }
  }
  EXPECT_GT(shared, cases / 40) << "too few cases in which device and CPU share the flows";
}

// Flows that are idle and whose memory blocks are forgotten make room for others, which get their ids.
TEST_P(FiveTupleTiles, EngineMakesRoom) {
  const test::SilentErrors silent;
  test::MeterTally tally;
  const std::uint64_t cases = test::property_cases(test::kDeviceCases) / (GetParam() == 1 ? 4 : 10);
  for (std::uint64_t seed = 2000 * GetParam(); seed < 2000 * GetParam() + cases; ++seed) {
    reference::RandomCase chosen = reference::five_tuple_case(seed);
    chosen.shape.keys = 20 + static_cast<std::uint32_t>(seed % 50);
    chosen.shape.packets = 400;
    chosen.shape.gap_percent = 1;
    chosen.shape.time_runs_back = false;  // a late packet may find its flow gone
    chosen.options.block = static_cast<std::int64_t>(1 + seed % 60);
    chosen.shape.block = static_cast<std::uint32_t>(chosen.options.block);
    Case one(chosen);
    const EngineUnderTest engine{.tile = GetParam(),
                                 .piece = std::uint32_t{1} << (1 + seed % 5),
                                 .flows = static_cast<std::uint32_t>(10 + seed % 100),
                                 .threads = 3,
                                 .seed = seed,
                                 .tally = &tally};
    const std::uint32_t batches[] = {1, 2, 7};
    ASSERT_TRUE(one.same_as(test::on_engine_under_test({.batch = batches[seed % 3]}, engine)));
  }
  EXPECT_GT(tally.expired, cases);
}

INSTANTIATE_TEST_SUITE_P(AllSizes, FiveTupleTiles, testing::ValuesIn(test::tile_sizes()));

}  // namespace
}  // namespace warpmeter
