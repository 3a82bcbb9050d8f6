// The hash of containers: all bytes count, secrets decide, and keys prepared for libstdc++'s own hash are spread.
#include "core/seeded_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "support/colliding_keys.h"

namespace warpmeter::test {
namespace {

TEST(SeededHash, EveryByteAndTheSizeCount) {
  const HashSeed seed(1);
  std::set<std::uint64_t> hashes;
  std::size_t different = 0;
  for (std::size_t size = 0; size <= 40; ++size) {
    std::string text(size, '\0');
    hashes.insert(hash_bytes(text.data(), size, seed));
    ++different;
    for (char& byte : text) {
      byte = 1;
      hashes.insert(hash_bytes(text.data(), size, seed));
      byte = 0;
      ++different;
    }
  }
  EXPECT_EQ(hashes.size(), different);
}

TEST(SeededHash, DependsOnTheSeed) {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t n = 0; n < 100; ++n) hashes.insert(hash_bytes("warpmeter", 9, HashSeed(n)));
  EXPECT_EQ(hashes.size(), 100u);
}

TEST(SeededHash, IsTheSameInOneProcess) {
  EXPECT_EQ(SeededHash()(std::string("text")), SeededHash()(std::string("text")));
  EXPECT_NE(random_hash_seed(), random_hash_seed());
}

TEST(SeededHash, SpreadsKeysThatStdHashMakesOne) {
  constexpr std::uint64_t kKeys = 10'000;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const HashSeed words(seed);
    const SeededHash hash(words);
    std::set<std::size_t> hashes;
    for (std::uint64_t n = 0; n < (seed ? 100 : kKeys); ++n) hashes.insert(hash(colliding_key(n)));
    EXPECT_EQ(hashes.size(), seed ? 100 : kKeys);
  }
  std::set<std::size_t> theirs;  // the keys are what they should be
  for (std::uint64_t n = 0; n < 100; ++n) {
    const CollidingKey key = colliding_key(n);
    theirs.insert(std::hash<std::string_view>{}({reinterpret_cast<const char*>(key.data()), key.size()}));
  }
  EXPECT_EQ(theirs.size(), 1u);
}

TEST(SeededHash, SpreadsNumbersThatAreMultiples) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const HashSeed words(seed);
    const SeededHash hash(words);
    std::set<std::size_t> buckets;
    for (std::uint64_t n = 0; n < 1000; ++n)
      buckets.insert(hash(n * 126'271) % 126'271);  // a size of std::unordered_map
    EXPECT_GT(buckets.size(), 950u);
  }
}

}  // namespace
}  // namespace warpmeter::test
