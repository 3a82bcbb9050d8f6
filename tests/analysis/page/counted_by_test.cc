// Sums by key: exact up to the limit, nothing lost beyond it, and the same whatever the hash table does.
#include "analysis/page/counted_by.h"

#include <gtest/gtest.h>

#include <ctime>
#include <map>
#include <random>

#include "support/colliding_keys.h"

namespace warpmeter {
namespace {

using Key = std::array<std::uint8_t, 4>;

Key key(std::uint32_t n) {
  return {static_cast<std::uint8_t>(n >> 24), static_cast<std::uint8_t>(n >> 16), static_cast<std::uint8_t>(n >> 8),
          static_cast<std::uint8_t>(n)};
}

Counts packets(std::uint64_t n) {
  Counts counts;
  counts.flows = 1;
  counts.packets = n;
  return counts;
}

const auto kAny = [](const Counts&) { return true; };
const auto kPackets = [](const Counts& c) { return c.packets; };

TEST(CountedBy, IsExactUpToItsLimit) {
  std::mt19937_64 random(7);
  CountedBy<Key> counted(1000);
  std::map<Key, std::uint64_t> naive;
  for (int i = 0; i < 20000; ++i) {
    const Key k = key(static_cast<std::uint32_t>(random() % 1000));
    const std::uint64_t n = random() % 100;
    counted.add(k, packets(n));
    naive[k] += n;
  }
  const auto all = counted.top(5000, kAny, kPackets);
  ASSERT_EQ(all.size(), naive.size());
  EXPECT_FALSE(counted.forgot());
  for (const auto& [k, counts] : all) EXPECT_EQ(counts.packets, naive.at(k));
  for (std::size_t i = 1; i < all.size(); ++i) {
    EXPECT_TRUE(all[i - 1].second.packets > all[i].second.packets ||
                (all[i - 1].second.packets == all[i].second.packets && all[i - 1].first < all[i].first));
  }
}

TEST(CountedBy, TopLeavesOutWhatIsNotEligible) {
  CountedBy<Key> counted(10);
  for (std::uint32_t i = 1; i <= 5; ++i) counted.add(key(i), packets(i));
  const auto top = counted.top(
      2, [](const Counts& c) { return c.packets < 5; }, kPackets);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].first, key(4));
  EXPECT_EQ(top[1].first, key(3));
}

TEST(CountedBy, ForgetsTheSmallestAndLosesNoSum) {
  CountedBy<Key> counted(100);
  for (std::uint32_t i = 0; i < 100; ++i) counted.add(key(i), packets(1000 + i));
  for (std::uint32_t i = 0; i < 5000; ++i) counted.add(key(10000 + i), packets(1));
  EXPECT_TRUE(counted.forgot());
  EXPECT_LE(counted.size(), 100u);
  Counts sum = counted.others();
  for (const auto& [_, counts] : counted.top(1000, kAny, kPackets)) sum.add(counts);
  EXPECT_EQ(sum.flows, 5100u);
  EXPECT_EQ(sum.packets, 100u * 1000 + 99 * 100 / 2 + 5000);
  const auto top = counted.top(40, kAny, kPackets);
  for (std::uint32_t i = 0; i < 40; ++i) EXPECT_EQ(top[i].first, key(99 - i));
}

// Few packets, but first in a list of the page: kept, with all that they counted, however many others come.
TEST(CountedBy, KeepsWhatIsFirstByAnyRank) {
  CountedBy<Key> counted(800);
  const auto with = [](std::uint64_t data, std::uint64_t retransmitted, std::uint64_t missing, std::uint64_t copies,
                       std::uint64_t closed) {
    Counts c = packets(1);
    c.data_segments = data;
    c.retransmitted_segments = retransmitted;
    c.missing_bytes = missing;
    c.duplicate_packets = copies;
    c.zero_windows = closed;
    return c;
  };
  const Counts troubles[] = {with(5000, 90, 0, 0, 0), with(20, 19, 0, 0, 0), with(1, 0, 9999, 0, 0),
                             with(1, 0, 0, 77, 0), with(1, 0, 0, 0, 55)};
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    if (i % 10'000 == 0) counted.add(key(i / 10'000), troubles[i / 10'000]);
    Counts ordinary = packets(100 + i);  // all of them have more packets than those above
    ordinary.data_segments = 1000;
    ordinary.retransmitted_segments = 2;
    counted.add(key(100'000 + i), ordinary);
  }
  for (std::uint32_t i = 0; i < 5; ++i) {
    const auto found = counted.top(
        1, [&](const Counts& c) { return c.packets == 1 && c == troubles[i]; }, kPackets);
    ASSERT_EQ(found.size(), 1u) << i;
    EXPECT_EQ(found[0].first, key(i));
  }
}

// What is forgotten depends on what was added, not on where the table keeps it: two limits' worth of equal keys.
TEST(CountedBy, ForgetsByPacketsThenByKey) {
  CountedBy<Key> counted(9);
  for (std::uint32_t i = 10; i > 0; --i) counted.add(key(i), packets(3));
  std::vector<Key> kept;
  for (const auto& [k, _] : counted.top(100, kAny, kPackets)) kept.push_back(k);
  EXPECT_EQ(kept, (std::vector<Key>{key(1), key(2), key(3), key(4), key(5)}));
}

// CPU seconds for 20,000 keys, three times each; the best of three.
template <class MakeKey>
double seconds_for(MakeKey make_key) {
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    CountedBy<test::CollidingKey> counted(1 << 18);
    const std::clock_t start = std::clock();
    for (int again = 0; again < 3; ++again) {
      for (std::uint64_t n = 0; n < 20'000; ++n) counted.add(make_key(n), packets(1));
    }
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

// Some ten thousand times as long as at random, were the hash known.
TEST(CountedBy, TakesNoLongerForKeysThatAreMadeForOneBucket) {
  const double at_random = seconds_for([](std::uint64_t n) {
    test::CollidingKey key{};
    const std::uint64_t words[2] = {n, n * 0x9e3779b97f4a7c15u};
    std::memcpy(key.data(), words, sizeof words);
    return key;
  });
  EXPECT_LT(seconds_for(test::colliding_key), 10 * at_random + 0.05);
}

}  // namespace
}  // namespace warpmeter
