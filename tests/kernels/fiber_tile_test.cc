// The tile that the kernels' tests stand on: collectives for every size, lanes that do not meet, a shuffled order. Not
// for ThreadSanitizer, which does not know fibers.
#include "kernels/fiber_tile.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "kernels/tile_sizes.h"

#if !defined(__SANITIZE_THREAD__)

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kSeeds = 50;

class FiberTiles : public testing::TestWithParam<unsigned> {
 protected:
  // Calls body(tile) in every lane of one tile, once a seed.
  template <class Body>
  static void for_many_seeds(const Body& body) {
    with_tile_size(GetParam(), [&body](auto size) {
      for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        LaneScheduler scheduler(size, seed);
        scheduler.run([&](unsigned lane) {
          FiberTile<size> tile(scheduler, lane);
          body(tile);
        });
      }
    });
  }
};

TEST_P(FiberTiles, RanksAreThoseOfTheLanes) {
  std::vector<unsigned> ranks(GetParam());
  for_many_seeds([&](auto& tile) { ++ranks.at(tile.rank()); });
  for (const unsigned times : ranks) EXPECT_EQ(times, kSeeds);
}

TEST_P(FiberTiles, BallotHasABitOfEveryLane) {
  const unsigned size = GetParam();
  const std::uint32_t all = size == 32 ? UINT32_MAX : (1u << size) - 1;
  for_many_seeds([&](auto& tile) {
    ASSERT_EQ(tile.ballot(true), all);
    ASSERT_EQ(tile.ballot(false), 0u);
    for (unsigned lane = 0; lane < size; ++lane) ASSERT_EQ(tile.ballot(tile.rank() == lane), 1u << lane);
  });
}

TEST_P(FiberTiles, ShflTakesTheValueOfTheNamedLane) {
  for_many_seeds([](auto& tile) {
    const unsigned size = tile.kSize;
    for (unsigned apart = 0; apart < size; ++apart) {
      const unsigned from = tile.rank() ^ apart;
      ASSERT_EQ(tile.shfl(std::uint64_t{tile.rank()} << 40 | apart, from), std::uint64_t{from} << 40 | apart);
    }
    ASSERT_EQ(tile.shfl(static_cast<std::int32_t>(tile.rank()) - 40, size - 1), static_cast<std::int32_t>(size) - 41);
  });
}

// Each call again and again without a sync between: what one lane says now must not reach a lane that still reads.
TEST_P(FiberTiles, CallsInARowKeepTheirValuesApart) {
  for_many_seeds([](auto& tile) {
    for (std::uint32_t round = 0; round < 20; ++round) {
      ASSERT_EQ(tile.shfl(round, round), round);
      ASSERT_EQ(tile.ballot((tile.rank() + round) % 2 == 0) & 1u, round % 2 == 0 ? 1u : 0u);
    }
  });
}

TEST_P(FiberTiles, AfterSyncAllSeeWhatEachWrote) {
  const unsigned size = GetParam();
  std::vector<unsigned> written(size);
  for_many_seeds([&](auto& tile) {
    for (unsigned round = 1; round < 4; ++round) {
      written[tile.rank()] = round * 100 + tile.rank();
      tile.sync();
      for (unsigned lane = 0; lane < size; ++lane) ASSERT_EQ(written[lane], round * 100 + lane);
      tile.sync();  // or a fast lane would write its next while others read
    }
  });
}

TEST_P(FiberTiles, LanesThatDoNotMeetThrow) {
  const unsigned last = GetParam() - 1;
  const auto throws = [&](auto&& of_last, auto&& of_others) {
    LaneScheduler scheduler(GetParam(), 1);
    EXPECT_THROW(scheduler.run([&](unsigned lane) {
      FiberTile<32> tile(scheduler, lane);  // its size does not matter here
      if (lane == last) of_last(tile);
      else of_others(tile);
    }),
                 std::logic_error);
  };
  const auto nothing = [](auto&) {};
  const auto once = [](auto& tile) { tile.sync(); };
  const auto twice = [](auto& tile) { tile.sync(), tile.sync(); };
  const auto votes = [](auto& tile) { tile.ballot(true); };
  throws(nothing, once);
  throws(once, nothing);
  throws(once, twice);
  throws(twice, once);
  throws(votes, once);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FiberTiles, testing::Values(2, 4, 8, 16, 32));

// The order in which lanes come to write, between any two collective calls.
std::vector<unsigned> order_of(unsigned lanes, std::uint64_t seed, unsigned calls_before) {
  std::vector<unsigned> order;
  LaneScheduler scheduler(lanes, seed);
  scheduler.run([&](unsigned lane) {
    for (unsigned call = 0; call < calls_before; ++call) scheduler.meet(lane, Collective::sync);
    order.push_back(lane);
  });
  return order;
}

TEST(LaneScheduler, DrawsEveryOrderAboutAsOften) {
  constexpr int kDraws = 2400;
  for (const unsigned calls : {0u, 1u, 5u}) {
    std::map<std::vector<unsigned>, int> drawn;
    for (std::uint64_t seed = 0; seed < kDraws; ++seed) ++drawn[order_of(4, seed, calls)];
    EXPECT_EQ(drawn.size(), 24u);
    for (const auto& [order, times] : drawn) EXPECT_NEAR(times, kDraws / 24, 60) << calls;
  }
}

TEST(LaneScheduler, OrdersOfOneRunDiffer) {
  std::set<std::vector<unsigned>> orders;
  LaneScheduler scheduler(32, 1);
  std::vector<unsigned> order;
  scheduler.run([&](unsigned lane) {
    for (int call = 0; call < 100; ++call) {
      order.push_back(lane);
      if (order.size() == 32) orders.insert(std::exchange(order, {}));
      scheduler.meet(lane, Collective::sync);
    }
  });
  EXPECT_EQ(orders.size(), 100u);
}

// What no tile alone shows: another tile between two collective calls of this one.
TEST(FiberCrowd, RunsTilesBetweenTheCallsOfOthers) {
  constexpr std::uint32_t kItems = 200;
  std::vector<unsigned> times(kItems);
  std::uint32_t inside = 0, most_inside = 0;
  const auto kernel = [&](auto& tile, std::uint32_t i) {
    if (tile.rank() == 0) ++times[i], most_inside = std::max(most_inside, ++inside);
    tile.sync();
    if (tile.rank() == 0) --inside;
  };
  run_in_fibers<4>(kernel, kItems, 3, 1);
  EXPECT_EQ(most_inside, 3u);
  EXPECT_EQ(std::count(times.begin(), times.end(), 1u), std::ptrdiff_t{kItems});
}

}  // namespace
}  // namespace warpmeter::test

#endif
