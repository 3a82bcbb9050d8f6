// What the hashes of a Flow Key depend on, and that the shards are shared out fairly.
#include "core/flow_hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "support/keys.h"

namespace warpmeter::test {
namespace {

FlowKey nth_key(unsigned n) {
  return key_of({.source = {10, 1, static_cast<std::uint8_t>(n >> 8), static_cast<std::uint8_t>(n)},
                 .source_port = static_cast<std::uint16_t>(1024 + n % 7)});
}

// 64,000 keys: 1,000 a shard on average; 16 standard deviations (about 32 each) either way.
void expect_fair(const std::array<int, kShards>& count) {
  for (unsigned s = 0; s < kShards; ++s) {
    EXPECT_GT(count[s], 500) << "shard " << s;
    EXPECT_LT(count[s], 1500) << "shard " << s;
  }
}

TEST(FlowHash, BothDirectionsMeetInOneShard) {
  for (unsigned n = 0; n < 1000; ++n) {
    const FlowKey key = nth_key(n);
    ASSERT_EQ(hash_flow(key, 1).shard, hash_flow(reversed(key), 1).shard) << n;
  }
}

TEST(FlowHash, ShardDoesNotDependOnTheSeed) {
  for (unsigned n = 0; n < 1000; ++n) {
    ASSERT_EQ(hash_flow(nth_key(n), 0).shard, hash_flow(nth_key(n), 0x123456789abcdef).shard) << n;
  }
}

TEST(FlowHash, ShardIsBelowTheirNumber) {
  for (unsigned n = 0; n < 1000; ++n) ASSERT_LT(hash_flow(nth_key(n), 0).shard, kShards);
}

TEST(FlowHash, HashDependsOnSeedAndDirection) {
  int same_seed = 0, same_direction = 0;
  for (unsigned n = 0; n < 1000; ++n) {
    const FlowKey key = nth_key(n);
    same_seed += hash_flow(key, 1).hash == hash_flow(key, 2).hash;
    same_direction += hash_flow(key, 1).hash == hash_flow(reversed(key), 1).hash;
  }
  EXPECT_EQ(same_seed, 0);
  EXPECT_EQ(same_direction, 0);
}

TEST(FlowHash, DifferentKeysHaveDifferentHashes) {
  std::set<std::uint64_t> hashes;
  for (unsigned n = 0; n < 10'000; ++n) hashes.insert(hash_flow(nth_key(n), 5).hash);
  EXPECT_EQ(hashes.size(), 10'000u);
}

TEST(FlowHash, EveryFieldOfTheKeyCounts) {
  const std::set<std::uint64_t> hashes = {
      hash_flow(key_of({}), 5).hash,
      hash_flow(key_of({.source = {10, 0, 0, 9}}), 5).hash,
      hash_flow(key_of({.destination = {10, 0, 0, 9}}), 5).hash,
      hash_flow(key_of({.source_port = 9}), 5).hash,
      hash_flow(key_of({.destination_port = 9}), 5).hash,
      hash_flow(key_of({.protocol = 17}), 5).hash,
      hash_flow(key_of({.vlan = 9}), 5).hash,
      hash_flow(key_of({.source = Bytes(16), .destination = Bytes(16)}), 5).hash,
  };
  EXPECT_EQ(hashes.size(), 8u);
}

TEST(FlowHash, ManyClientsOfOneServerSpreadOverAllShards) {
  std::array<int, kShards> count{};
  for (unsigned n = 0; n < 64'000; ++n) ++count[hash_flow(nth_key(n), 0).shard];
  expect_fair(count);
}

TEST(FlowHash, FlowsOfAHostToItselfSpreadOverAllShards) {
  std::array<int, kShards> count{};
  for (unsigned n = 0; n < 64'000; ++n) {
    const auto port = static_cast<std::uint16_t>(n);
    ++count[hash_flow(key_of({{127, 0, 0, 1}, {127, 0, 0, 1}, port, port}), 0).shard];
  }
  expect_fair(count);
}

// Neighbouring shards, from the first to the last share, as many each as can be.
TEST(FlowHash, SharesOfTheShardsAreEven) {
  for (unsigned shares = 1; shares <= kShards; ++shares) {
    EXPECT_EQ(first_shard_of(0, shares), 0u);
    EXPECT_EQ(first_shard_of(shares, shares), kShards);
    std::vector<unsigned> sizes;
    for (unsigned share = 0; share < shares; ++share) {
      const unsigned first = first_shard_of(share, shares), end = first_shard_of(share + 1, shares);
      ASSERT_LT(first, end);
      sizes.push_back(end - first);
      for (unsigned shard = first; shard < end; ++shard) EXPECT_EQ(share_of(shard, shares), share);
    }
    const auto [least, most] = std::minmax_element(sizes.begin(), sizes.end());
    EXPECT_LE(*most - *least, 1u) << shares << " shares";
  }
}

}  // namespace
}  // namespace warpmeter::test
