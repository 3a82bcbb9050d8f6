// A shard says of every packet what it was, whichever way it took.
#include <gtest/gtest.h>

#include "flow/meter/shard_driver.h"

namespace warpmeter::test {
namespace {

using Kind = Verdict::Kind;

class ShardVerdict : public testing::Test {
 protected:
  Verdict take(const Segment& segment, bool duplicate = false) {
    const FlowKey key = numbered_key(1);
    const std::uint64_t hash = hash_flow(key, kSeed).hash;
    CompactFlowState* const likely = ahead_ ? shard_.prefetch_state(hash, false) : nullptr;
    return shard_.take(key, hash, segment, ++number_, duplicate, likely);
  }
  Verdict take(std::int64_t time_ns, std::uint8_t flags, std::uint32_t sequence, std::uint32_t payload) {
    return take(test_segment(time_ns).tcp(sequence, flags, payload));
  }

  static constexpr std::uint64_t kSeed = 12345;
  Shard shard_{meter_options(), kSeed};
  std::uint64_t number_ = 0;
  bool ahead_ = false;
};

TEST_F(ShardVerdict, TellsWhatEachSegmentWas) {
  const Verdict syn = take(0, kSyn, 999, 0);
  EXPECT_EQ(syn.kind, Kind::first);
  EXPECT_EQ(syn.boundary, Boundary::opening);
  EXPECT_EQ(take(1, kAck, 1000, 100).kind, Kind::in_order);
  const Verdict again = take(2, kAck, 1050, 100);
  EXPECT_EQ(again.kind, Kind::retransmitted);
  EXPECT_EQ(again.seen_before, 50u);
  EXPECT_EQ(take(3, kAck, 1200, 10).kind, Kind::ahead);
  EXPECT_EQ(take(4, kAck, 1150, 50).kind, Kind::out_of_order);
  EXPECT_EQ(take(5, kAck, 1209, 1).kind, Kind::keep_alive);
  EXPECT_EQ(take(6, kRst, 1210, 0).kind, Kind::reset);
  EXPECT_EQ(take(test_segment(7)).kind, Kind::no_numbers);
  EXPECT_EQ(take(test_segment(8).tcp(1210, kAck, 5), true).kind, Kind::duplicate);
}

TEST_F(ShardVerdict, TellsWhatEndsAndBegins) {
  take(0, kSyn, 999, 0);
  const Verdict other = take(1, kSyn, 5000, 0);
  EXPECT_EQ(other.boundary, Boundary::incarnation);
  EXPECT_EQ(other.kind, Kind::first);
  EXPECT_EQ(take(1002, kAck, 5001, 10).boundary, Boundary::idle);
}

// Whether the state was asked for ahead, and so the fast form may be taken, makes no difference.
TEST_F(ShardVerdict, IsTheSameByTheFastForm) {
  for (const bool ahead : {false, true}) {
    ahead_ = ahead;
    take(0, kSyn, 10'000 + ahead, 0);
    const Segment segment = test_segment(1).tcp(10'001 + ahead, kAck, 100);
    const Verdict verdict = take(segment);
    EXPECT_EQ(verdict.kind, Kind::in_order);
    EXPECT_EQ(verdict.place, SpanPlace::next);
    EXPECT_EQ(verdict.boundary, Boundary::none);
    EXPECT_EQ(verdict.new_bytes(segment).begin, 10'001 + ahead);
    EXPECT_EQ(verdict.new_bytes(segment).end, 10'101 + ahead);
  }
}

}  // namespace
}  // namespace warpmeter::test
