// What makes two packets copies of one, and how far apart they may come.
#include "warpmeter/identity.h"

#include <gtest/gtest.h>

#include <set>

#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::int64_t kFar = std::int64_t{1} << 62;

// One segment, and what differs from it in one thing.
Segment base() { return test_segment(0).identified(1, 2).tcp(3, kSyn, 4); }

template <class Change>
Segment changed(Change change) {
  Segment s = base();
  change(s);
  return s;
}

TEST(Identity, EveryFieldOfThePacketCounts) {
  EXPECT_TRUE(same_packet(base(), base()));
  for (const Segment& other :
       {changed([](Segment& s) { s.identity.a ^= 1; }), changed([](Segment& s) { s.identity.b ^= 1; }),
        changed([](Segment& s) { s.length ^= 1; }), changed([](Segment& s) { s.sequence ^= 1; }),
        changed([](Segment& s) { s.window ^= 1; }), changed([](Segment& s) { s.flags ^= 1; })}) {
    EXPECT_FALSE(same_packet(base(), other));
    EXPECT_FALSE(same_packet(other, base()));
  }
}

TEST(Identity, WhatDiffersBetweenCopiesDoesNotCount) {
  for (const Segment& other : {changed([](Segment& s) { s.time_ns = 77; }), changed([](Segment& s) { s.frame = 77; }),
                               changed([](Segment& s) { s.kind ^= kTcpSegment; })}) {
    EXPECT_TRUE(same_packet(base(), other));
    EXPECT_EQ(identity_hash(5, base()), identity_hash(5, other));
  }
}

TEST(Identity, HashDependsOnFlowIdentitySequenceAndLength) {
  const std::set<std::uint64_t> hashes = {
      identity_hash(5, base()),
      identity_hash(6, base()),
      identity_hash(5, changed([](Segment& s) { s.identity.a ^= 1; })),
      identity_hash(5, changed([](Segment& s) { s.identity.b ^= 16; })),
      identity_hash(5, changed([](Segment& s) { s.sequence ^= 1; })),
      identity_hash(5, changed([](Segment& s) { s.length ^= 1; })),
  };
  EXPECT_EQ(hashes.size(), 6u);
}

// What a sender can choose must not make one of the factors 0: all packets of all flows would share a hash.
TEST(Identity, NoPacketHasTheSameHashInEveryFlow) {
  Segment segment;
  segment.sequence = 5;
  segment.length = 80;
  segment.identity = {1, std::uint64_t{5} << 32 | 80};  // the rest of the identity equals these
  std::set<std::uint64_t> hashes;
  for (std::uint64_t flow_hash = 1; flow_hash <= 100; ++flow_hash)
    hashes.insert(identity_hash(flow_hash << 40, segment));
  EXPECT_EQ(hashes.size(), 100u);
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
