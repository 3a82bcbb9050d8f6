// A shard says of every packet what it was, whichever way it took.
#include <gtest/gtest.h>

#include <optional>

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

  JudgedPacket judge(const Segment& segment, std::optional<std::uint64_t> duplicate_of = std::nullopt) {
    const FlowKey key = numbered_key(1);
    const std::uint64_t hash = hash_flow(key, kSeed).hash;
    CompactFlowState* const likely = ahead_ ? shard_.prefetch_state(hash, false) : nullptr;
    return shard_.judge(key, hash, segment, ++number_, duplicate_of, likely);
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

// What only the state before the packet tells, by the fast form and without it.
TEST_F(ShardVerdict, TellsWhatLiesBeforeEachPacket) {
  for (const bool ahead : {false, true}) {
    ahead_ = ahead;
    const std::uint64_t first = number_ + 1;
    const std::int64_t begin = ahead ? 5000 : 0;  // longer than the idle timeout
    const JudgedPacket opening = judge(test_segment(begin).tcp(999, kSyn, 0));
    EXPECT_EQ(opening.gap_ns, JudgedPacket::kNoGap);
    EXPECT_EQ(opening.flow, first);
    const JudgedPacket next = judge(test_segment(begin + 7).tcp(1000, kAck, 100));
    EXPECT_EQ(next.verdict.kind, Kind::in_order);
    EXPECT_EQ(next.gap_ns, 7);
    EXPECT_EQ(next.skipped, 0);
    EXPECT_EQ(next.flow, first);
    const JudgedPacket above = judge(test_segment(begin + 5).tcp(1150, kAck, 10));
    EXPECT_EQ(above.verdict.kind, Kind::ahead);
    EXPECT_EQ(above.gap_ns, 0) << "time runs back";
    EXPECT_EQ(above.skipped, 50);
    const JudgedPacket copy = judge(test_segment(begin + 9).tcp(1150, kAck, 10), number_);
    EXPECT_EQ(copy.verdict.kind, Kind::duplicate);
    EXPECT_EQ(copy.duplicate_of, first + 2);
    EXPECT_EQ(copy.gap_ns, 2);
  }
}

// Behind a cut by the active timeout another part begins, but no other flow.
TEST_F(ShardVerdict, TellsTheGapAcrossACut) {
  judge(test_segment(0).tcp(999, kSyn, 0));
  std::uint32_t sequence = 1000;
  for (std::int64_t time = 900; time < 10'000; time += 900) judge(test_segment(time).tcp(sequence++, kAck, 1));
  const JudgedPacket cut = judge(test_segment(10'000).tcp(sequence, kAck, 1));
  EXPECT_EQ(cut.verdict.boundary, Boundary::active);
  EXPECT_EQ(cut.gap_ns, 100);
  EXPECT_EQ(cut.flow, number_);
  EXPECT_EQ(cut.verdict.kind, Kind::in_order);
}

}  // namespace
}  // namespace warpmeter::test
