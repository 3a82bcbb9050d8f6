// Who saw a flow first owns it, for as long as it lives.
#include "command/live/flow_owners.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <thread>

namespace warpmeter {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kIdle = 10 * kSecond;
constexpr std::int64_t kNow = 1'750'000'000 * kSecond;

std::uint64_t hash_of(std::uint64_t place) { return place << 24; }

class TestOwners : public FlowOwners {
 public:
  using FlowOwners::FlowOwners;
  unsigned owner_of(std::uint64_t hash, std::int64_t time_ns, unsigned self) {
    const unsigned owner = FlowOwners::owner_of(hash, claim_of(time_ns, self));
    const bool own = are_own(std::array{hash}, claim_of(time_ns, self));
    EXPECT_TRUE(!own || owner == self);
    return owner;
  }
};

TEST(FlowOwners, TheFirstOwnsIt) {
  TestOwners owners(kIdle, 64);
  EXPECT_EQ(owners.owner_of(hash_of(1), kNow, 3), 3u);
  EXPECT_EQ(owners.owner_of(hash_of(1), kNow, 3), 3u);
  EXPECT_EQ(owners.owner_of(hash_of(1), kNow, 0), 3u);
  EXPECT_EQ(owners.owner_of(hash_of(2), kNow, 0), 0u);
  EXPECT_EQ(owners.owner_of(hash_of(2), kNow, 254), 0u);
  EXPECT_EQ(owners.owner_of(hash_of(1 + 64), kNow, 7), 3u) << "they share a place";
}

TEST(FlowOwners, AsLongAsPacketsCome) {
  TestOwners owners(kIdle, 64);
  EXPECT_EQ(owners.owner_of(0, kNow, 1), 1u);
  std::int64_t time = kNow;
  for (int i = 0; i < 100; ++i, time += kIdle - kSecond) EXPECT_EQ(owners.owner_of(0, time, 2), 1u) << i;
  time += kIdle;  // since the last: longer than idle, but what is counted is seconds or so
  EXPECT_EQ(owners.owner_of(0, time + 6 * kSecond, 2), 2u);
  EXPECT_EQ(owners.owner_of(0, time + 6 * kSecond, 1), 2u);
}

TEST(FlowOwners, NotBeforeItsFlowsHaveEnded) {
  std::mt19937_64 random(1);
  TestOwners owners(kIdle, 1 << 15);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::int64_t time = kNow + static_cast<std::int64_t>(random() % (100 * kSecond));
    owners.owner_of(hash_of(i), time, 1);
    EXPECT_EQ(owners.owner_of(hash_of(i), time + static_cast<std::int64_t>(random() % (kIdle + 1)), 2), 1u);
  }
}

TEST(FlowOwners, WhereTimeRunsBackItStays) {
  TestOwners owners(kIdle, 64);
  EXPECT_EQ(owners.owner_of(0, kNow, 1), 1u);
  EXPECT_EQ(owners.owner_of(0, kNow - 3600 * kSecond, 2), 1u);
  EXPECT_EQ(owners.owner_of(0, kNow - 3600 * kSecond + 2 * kIdle, 2), 1u);
  EXPECT_EQ(owners.owner_of(0, -kNow, 2), 1u);
}

TEST(FlowOwners, ForEverWithoutAnIdleTimeout) {
  TestOwners owners(0, 64);
  EXPECT_EQ(owners.owner_of(0, kNow, 1), 1u);
  EXPECT_EQ(owners.owner_of(0, kNow + 86'400 * kSecond, 2), 1u);
}

TEST(FlowOwners, AllOfSomeAreOwnOrNot) {
  FlowOwners owners(kIdle, 64);
  const std::array hashes = {hash_of(1), hash_of(2), hash_of(3)};
  const FlowOwners::Claim mine = owners.claim_of(kNow, 5);
  EXPECT_FALSE(owners.are_own(hashes, mine)) << "nobody's";
  for (const std::uint64_t hash : hashes) EXPECT_EQ(owners.owner_of(hash, mine), 5u);
  EXPECT_TRUE(owners.are_own(hashes, mine));
  EXPECT_FALSE(owners.are_own(hashes, owners.claim_of(kNow, 4)));
  EXPECT_FALSE(owners.are_own(hashes, owners.claim_of(kNow + 2 * kSecond, 5))) << "it is to be told that they live";
  EXPECT_TRUE(owners.are_own({}, mine));
}

// All who ask at the same time are told the same.
TEST(FlowOwners, ThreadsAgree) {
  constexpr std::size_t kPlaces = 4096;
  TestOwners owners(kIdle, kPlaces);
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
