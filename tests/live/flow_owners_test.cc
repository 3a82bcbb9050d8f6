// Who saw a flow first owns it, for as long as it lives.
#include "live/flow_owners.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>

namespace warpmeter {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kIdle = 10 * kSecond;
constexpr std::int64_t kNow = 1'750'000'000 * kSecond;

std::uint64_t hash_of(std::uint64_t place) { return place << 24; }

TEST(FlowOwners, TheFirstOwnsIt) {
  FlowOwners owners(kIdle, 64);
  EXPECT_EQ(owners.owner_of(hash_of(1), kNow, 3), 3u);
  EXPECT_EQ(owners.owner_of(hash_of(1), kNow, 3), 3u);
  EXPECT_EQ(owners.owner_of(hash_of(1), kNow, 0), 3u);
  EXPECT_EQ(owners.owner_of(hash_of(2), kNow, 0), 0u);
  EXPECT_EQ(owners.owner_of(hash_of(2), kNow, 254), 0u);
  EXPECT_EQ(owners.owner_of(hash_of(1 + 64), kNow, 7), 3u) << "they share a place";
}

TEST(FlowOwners, AsLongAsPacketsCome) {
  FlowOwners owners(kIdle, 64);
  EXPECT_EQ(owners.owner_of(0, kNow, 1), 1u);
  std::int64_t time = kNow;
  for (int i = 0; i < 100; ++i, time += kIdle - kSecond) EXPECT_EQ(owners.owner_of(0, time, 2), 1u) << i;
  time += kIdle;  // since the last: longer than idle, but what is counted is seconds or so
  EXPECT_EQ(owners.owner_of(0, time + 6 * kSecond, 2), 2u);
  EXPECT_EQ(owners.owner_of(0, time + 6 * kSecond, 1), 2u);
}

TEST(FlowOwners, NotBeforeItsFlowsHaveEnded) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20'000; ++i) {
    FlowOwners owners(kIdle, 1);
    const std::int64_t time = kNow + static_cast<std::int64_t>(random() % (100 * kSecond));
    owners.owner_of(0, time, 1);
    EXPECT_EQ(owners.owner_of(0, time + static_cast<std::int64_t>(random() % (kIdle + 1)), 2), 1u);
  }
}

TEST(FlowOwners, WhereTimeRunsBackItStays) {
  FlowOwners owners(kIdle, 64);
  EXPECT_EQ(owners.owner_of(0, kNow, 1), 1u);
  EXPECT_EQ(owners.owner_of(0, kNow - 3600 * kSecond, 2), 1u);
  EXPECT_EQ(owners.owner_of(0, kNow - 3600 * kSecond + 2 * kIdle, 2), 1u);
  EXPECT_EQ(owners.owner_of(0, -kNow, 2), 1u);
}

TEST(FlowOwners, ForEverWithoutAnIdleTimeout) {
  FlowOwners owners(0, 64);
  EXPECT_EQ(owners.owner_of(0, kNow, 1), 1u);
  EXPECT_EQ(owners.owner_of(0, kNow + 86'400 * kSecond, 2), 1u);
}

// All who ask at the same time are told the same.
TEST(FlowOwners, ThreadsAgree) {
  constexpr std::size_t kPlaces = 4096;
  FlowOwners owners(kIdle, kPlaces);
  std::vector<std::vector<unsigned>> told(4, std::vector<unsigned>(kPlaces));
  {
    std::vector<std::jthread> threads;
    for (unsigned self = 0; self < told.size(); ++self) {
      threads.emplace_back([&, self] {
        for (std::size_t i = 0; i < kPlaces; ++i) told[self][i] = owners.owner_of(hash_of(i), kNow, self);
      });
    }
  }
  for (std::size_t i = 0; i < kPlaces; ++i) {
    for (const auto& those : told) EXPECT_EQ(those[i], told[0][i]) << i;
  }
}

}  // namespace
}  // namespace warpmeter
