// Lanes as threads: collectives bring the right values, and sync() makes memory agree.
#include "kernels/thread_tile.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kItems = 200;

template <class Size>
class ThreadTiles : public testing::Test {};
using Sizes = testing::Types<std::integral_constant<unsigned, 1>, std::integral_constant<unsigned, 2>,
                             std::integral_constant<unsigned, 4>>;
TYPED_TEST_SUITE(ThreadTiles, Sizes);

TYPED_TEST(ThreadTiles, CollectivesBringTheValuesOfAllLanes) {
  constexpr unsigned kLanes = TypeParam();
  const auto kernel = [](auto& tile, std::uint32_t i) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      ASSERT_EQ(tile.ballot(tile.rank() == lane), 1u << lane);
      ASSERT_EQ(tile.shfl(std::uint64_t{i} << 32 | tile.rank(), lane), std::uint64_t{i} << 32 | lane);
      ASSERT_EQ(tile.shfl(-static_cast<std::int64_t>(tile.rank()), lane), -static_cast<std::int64_t>(lane));
    }
  };
  run_in_lane_threads<kLanes>(kernel, kItems, 2);
}

TYPED_TEST(ThreadTiles, AfterSyncAllSeeWhatEachWrote) {
  constexpr unsigned kLanes = TypeParam();
  std::vector<std::array<std::uint32_t, kLanes>> written(kItems);
  const auto kernel = [&](auto& tile, std::uint32_t i) {
    for (std::uint32_t round = 0; round < 3; ++round) {
      written[i][tile.rank()] = i + round;
      tile.sync();
      for (const std::uint32_t value : written[i]) ASSERT_EQ(value, i + round);
      tile.sync();
    }
  };
  run_in_lane_threads<kLanes>(kernel, kItems, 2);
  for (const auto& values : written) EXPECT_NE(values[0], 0u);
}

TYPED_TEST(ThreadTiles, TilesShareTheItems) {
  constexpr unsigned kLanes = TypeParam();
  std::vector<unsigned> times(kItems);
  const auto kernel = [&](auto& tile, std::uint32_t i) {
    if (tile.rank() == 0) ++times[i];
  };
  run_in_lane_threads<kLanes>(kernel, kItems, 3);
  EXPECT_EQ(times, std::vector<unsigned>(kItems, 1));
}

}  // namespace
}  // namespace warpmeter::test
