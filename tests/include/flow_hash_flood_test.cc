// Nobody can prepare Flow Keys that meet in one place of a table: under 100 seeds every crafted family is spread as
// random keys are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "core/flow_hash.h"
#include "core/payload_batch.h"
#include "support/crafted_keys.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kSeeds = 100;

// How an open-addressed table of buckets takes these hashes: linear from the beginning of a bucket, which has
// `entries`. Returns how many buckets are looked at in all to enter them.
std::uint64_t buckets_looked_at(const std::vector<std::uint64_t>& hashes, std::size_t buckets, unsigned entries) {
  std::vector<std::uint8_t> used(buckets);
  std::uint64_t looked_at = hashes.size();
  for (const std::uint64_t hash : hashes) {
    std::size_t at = hash & (buckets - 1);
    for (; used[at] == entries; at = (at + 1) & (buckets - 1)) {
      // All of a kind in one place: this would take for ever.
      if (++looked_at > 20 * hashes.size()) return looked_at;
    }
    ++used[at];
  }
  return looked_at;
}

// Pairs with the same 64 bits, and with the same tag and bucket (flow_table.h): these are compared whole.
struct Pairs {
  std::uint64_t whole = 0, tag_and_bucket = 0;
};

Pairs equal_pairs(std::vector<std::uint64_t> hashes, std::uint64_t bucket_mask) {
  Pairs pairs;
  const auto count = [&](std::uint64_t& equal) {
    std::sort(hashes.begin(), hashes.end());
    std::uint64_t before = 0;
    for (std::size_t i = 1; i < hashes.size(); ++i) {
      before = hashes[i] == hashes[i - 1] ? before + 1 : 0;
      equal += before;
    }
  };
  count(pairs.whole);
  for (std::uint64_t& hash : hashes) hash &= bucket_mask | std::uint64_t{0xff} << 56;
  count(pairs.tag_and_bucket);
  return pairs;
}

using HashOfKey = std::uint64_t (*)(const FlowKey& key, const HashSeed& words);

std::uint64_t flow_hash_of(const FlowKey& key, const HashSeed& words) { return hash_flow(key, words).hash; }

// That of a connection.
std::uint64_t ends_hash_of(const FlowKey& key, const HashSeed& words) {
  const HashedKey h = hashed_key(key);
  const auto ports = static_cast<std::uint32_t>(h.rest);
  if (key.version == 4) return hash_ends4(h.source_high | h.destination_high << 32, ports, words);
  return hash_ends6(key.source, ports, words);
}

class FlowHashFlood : public testing::TestWithParam<CraftedKeys> {
 protected:
  // Of as many flows as fill half of the index (flow_table.h).
  void check(std::uint32_t flows, HashOfKey hash_of = flow_hash_of) {
    const std::size_t buckets = flows / 8;
    std::vector<FlowKey> keys;
    for (std::uint32_t n = 0; n < flows; ++n) keys.push_back(GetParam().key(n));
    std::vector<std::uint64_t> hashes(flows);
    std::uint64_t looked_at = 0;
    Pairs pairs;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
      const HashSeed words(seed);
      for (std::uint32_t n = 0; n < flows; ++n) hashes[n] = hash_of(keys[n], words);
      const std::uint64_t of_this = buckets_looked_at(hashes, buckets, 16);
      ASSERT_LT(of_this, flows * 3 / 2) << "seed " << seed;
      looked_at += of_this;
      if (seed % 10) continue;
      const Pairs of_seed = equal_pairs(hashes, buckets - 1);
      pairs.whole += of_seed.whole;
      pairs.tag_and_bucket += of_seed.tag_and_bucket;
    }
    std::mt19937_64 random(1);
    for (std::uint64_t& hash : hashes) hash = random();
    EXPECT_LT(static_cast<double>(looked_at) / kSeeds,
              1.02 * static_cast<double>(buckets_looked_at(hashes, buckets, 16)));
    EXPECT_EQ(pairs.whole, 0u);
    EXPECT_LT(static_cast<double>(pairs.tag_and_bucket) / 10,
              1.5 * static_cast<double>(equal_pairs(hashes, buckets - 1).tag_and_bucket));
  }
};

TEST_P(FlowHashFlood, IsSpreadAsRandomFlowsAre) { check(16'384); }
TEST_P(FlowHashFlood, IsSpreadAsRandomConnectionsAre) {
  if (GetParam().name != "swapped endpoints") check(16'384, ends_hash_of);  // which are one connection
}

// What stands in one word of one key may stand in another word of another: there is no order to exploit.
TEST_P(FlowHashFlood, ChangesWithEverySeed) {
  std::vector<std::uint64_t> hashes;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) hashes.push_back(hash_flow(GetParam().key(4711), seed).hash);
  EXPECT_EQ(equal_pairs(hashes, 0).whole, 0u);
}

// The flood that made all of them one until both factors had a secret, and the same from many networks.
class LargeFlowHashFlood : public FlowHashFlood {};

TEST_P(LargeFlowHashFlood, Of65536FlowsIsSpreadAsRandomOnesAre) { check(65'536); }
#if defined(WARPMETER_LONG)
TEST_P(LargeFlowHashFlood, Of131072FlowsIsSpreadAsRandomOnesAre) { check(131'072); }
#endif

INSTANTIATE_TEST_SUITE_P(InterfaceIds, LargeFlowHashFlood,
                         testing::Values(zero_factor(kHashConstants[1], false), prefixes_of_48_bits()),
                         [](const auto& family) { return "family" + std::to_string(family.index); });
INSTANTIATE_TEST_SUITE_P(Families, FlowHashFlood, testing::ValuesIn(crafted_key_families()),
                         [](const auto& family) { return "family" + std::to_string(family.index); });

}  // namespace
}  // namespace warpmeter::test
