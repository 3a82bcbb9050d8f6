// What makes two packets copies of one, and how far apart they may come.
#include "core/identity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 62;
const IdentitySeed kSeed(1);

// One segment, and what differs from it in one thing.
Segment base() { return test_segment(0).identified(1, 2).tcp(3, kSyn, 4); }

template <class Change>
Segment changed_segment(Change change) {
  Segment s = base();
  change(s);
  return s;
}

TEST(Identity, EveryFieldOfThePacketCounts) {
  EXPECT_TRUE(same_packet(base(), base()));
  for (const Segment& other :
       {changed_segment([](Segment& s) { s.identity_a ^= 1; }), changed_segment([](Segment& s) { s.identity_b ^= 1; }),
        changed_segment([](Segment& s) { s.length ^= 1; }), changed_segment([](Segment& s) { s.sequence ^= 1; }),
        changed_segment([](Segment& s) { s.window ^= 1; }), changed_segment([](Segment& s) { s.flags ^= 1; })}) {
    EXPECT_FALSE(same_packet(base(), other));
    EXPECT_FALSE(same_packet(other, base()));
  }
}

TEST(Identity, WhatDiffersBetweenCopiesDoesNotCount) {
  for (const Segment& other :
       {changed_segment([](Segment& s) { s.time_ns = 77; }), changed_segment([](Segment& s) { s.frame = 77; }),
        changed_segment([](Segment& s) { s.kind ^= kTcpSegment; })}) {
    EXPECT_TRUE(same_packet(base(), other));
    EXPECT_EQ(identity_hash(5, base(), kSeed), identity_hash(5, other, kSeed));
  }
}

TEST(Identity, HashDependsOnAllThatIsCompared) {
  const std::set<std::uint64_t> hashes = {
      identity_hash(5, base(), kSeed),
      identity_hash(6, base(), kSeed),
      identity_hash(5, changed_segment([](Segment& s) { s.identity_a ^= 1; }), kSeed),
      identity_hash(5, changed_segment([](Segment& s) { s.identity_b ^= 16; }), kSeed),
      identity_hash(5, changed_segment([](Segment& s) { s.sequence ^= 1; }), kSeed),
      identity_hash(5, changed_segment([](Segment& s) { s.length ^= 1; }), kSeed),
      identity_hash(5, changed_segment([](Segment& s) { s.window ^= 1; }), kSeed),
      identity_hash(5, changed_segment([](Segment& s) { s.flags ^= 1; }), kSeed),
  };
  EXPECT_EQ(hashes.size(), 8u);
}

// How many others of its chain a packet meets on average, of 1,024 packets that one sender prepared, in a filter with
// 8,192 chains. At random: 1/16.
template <class Change>
double others_in_chain(Change change) {
  constexpr std::uint32_t kPackets = 1024, kChains = 8192, kRounds = 100;
  std::uint64_t others = 0, worst = 0;
  for (std::uint64_t round = 1; round <= kRounds; ++round) {
    const HashSeed seed(round);
    std::vector<std::uint32_t> chain(kChains);
    const std::uint64_t before = others;
    for (std::uint32_t n = 0; n < kPackets; ++n) {
      const Segment segment = changed_segment([&](Segment& s) { change(s, n); });
      others += chain[identity_hash(seed.word[15], segment, IdentitySeed(seed)) % kChains]++;
    }
    worst = std::max(worst, others - before);
  }
  EXPECT_LT(worst, kPackets) << "of one seed";
  return static_cast<double>(others) / kPackets / kRounds;
}

// Different packets of one flow, changed where a sender would, and where two changes might cancel each other out.
TEST(Identity, NobodyCanPreparePacketsOfOneHash) {
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) { s.window = static_cast<std::uint16_t>(n); }), 0.3);
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) { s.sequence = n; }), 0.3);
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) { s.sequence = n << 22; }), 0.3);
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) { s.length = 40 + n; }), 0.3);
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) { s.identity_a = n; }), 0.3);
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) { s.identity_a = std::uint64_t{n} << 32; }), 0.3);
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) { s.identity_b = n << 8; }), 0.3);
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) {
              s.flags = static_cast<std::uint8_t>(n);
              s.window = static_cast<std::uint16_t>(n >> 8);
            }),
            0.3);
  EXPECT_LT(
      others_in_chain([](Segment& s, std::uint32_t n) {  // an id against a length, an acknowledgement against both
        s.identity_b ^= n << 8;
        s.length ^= n << 8;
      }),
      0.3);
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) {
              s.identity_a ^= std::uint64_t{n} << 32;
              s.sequence ^= n;
            }),
            0.3);
  EXPECT_LT(others_in_chain([](Segment& s, std::uint32_t n) {
              s.identity_b = n;
              s.sequence = n;
            }),
            0.3);
}

// What a sender can choose must not make one of the factors 0: all packets of all flows would share a hash.
TEST(Identity, NoPacketHasTheSameHashUnderEverySeed) {
  Segment segment;
  segment.sequence = 5;
  segment.length = 80;
  segment.identity_a = 1;
  segment.identity_b = 5;
  std::set<std::uint64_t> hashes;
  for (std::uint64_t n = 1; n <= 100; ++n) {
    hashes.insert(identity_hash(n << 40, segment, kSeed));
    hashes.insert(identity_hash(5, segment, IdentitySeed(HashSeed(n + 1))));
  }
  EXPECT_EQ(hashes.size(), 200u);
}

TEST(Identity, GapIncludesItsLastNanosecondBothWays) {
  const DuplicateOptions options{10, 1000, 10};
  for (const std::int64_t sign : {-1, 1}) {
    EXPECT_TRUE(within_duplicate_gap(test_segment(50), test_segment(50 + sign * 1000), options));
    EXPECT_FALSE(within_duplicate_gap(test_segment(50), test_segment(50 + sign * 1001), options));
  }
}

TEST(Identity, AnonymousPacketsHaveAGapOfTheirOwn) {
  const DuplicateOptions options{10, 1000, 10};
  EXPECT_TRUE(within_duplicate_gap(test_segment(0).anonymous(), test_segment(10).anonymous(), options));
  EXPECT_FALSE(within_duplicate_gap(test_segment(0).anonymous(), test_segment(11).anonymous(), options));
}

TEST(Identity, GapSpansAllTimesThatMayCome) {
  const DuplicateOptions options{10, INT64_MAX, 10};
  EXPECT_TRUE(within_duplicate_gap(test_segment(1 - kFar), test_segment(kFar - 1), options));
  EXPECT_TRUE(within_duplicate_gap(test_segment(kFar - 1), test_segment(1 - kFar), options));
}

}  // namespace
}  // namespace warpmeter::test
