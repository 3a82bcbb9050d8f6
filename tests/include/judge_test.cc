// What a segment is to its flow: every kind of verdict, and random segments against a plain set of the numbers seen.
#include "core/judge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "support/segment_maker.h"
#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

using Kind = Verdict::Kind;
using Overlap = Verdict::Overlap;

constexpr Timeouts kShort{1000, 10'000};

Verdict judged(const TcpFlow& flow, const Segment& s, bool duplicate = false) {
  return judge(flow.state, s, duplicate, kShort, flow.holes);
}
Verdict judged(const TcpFlow& flow, std::uint32_t sequence, std::uint32_t payload, std::uint8_t flags = kAck) {
  return judged(flow, test_segment(0).tcp(sequence, flags, payload));
}

std::pair<std::int64_t, std::int64_t> new_bytes(const TcpFlow& flow, std::uint32_t sequence, std::uint32_t payload) {
  const Segment s = test_segment(0).tcp(sequence, kAck, payload);
  const NumberRange range = judged(flow, s).new_bytes(s);
  return {range.begin, range.end};
}

TEST(Judge, WhatHasNoNumbers) {
  TcpFlow flow;
  flow.data(1000, 100);
  EXPECT_EQ(judged(flow, test_segment(0)).kind, Kind::no_numbers);
  EXPECT_EQ(judged(flow, test_segment(0).tcp(1000, kAck, 50), true).kind, Kind::duplicate);
  EXPECT_EQ(judged(flow, 1000, 50, kRst).kind, Kind::reset);
  for (const Verdict& v : {judged(flow, test_segment(0)), judged(flow, 1000, 50, kRst)}) {
    EXPECT_EQ(v.place, SpanPlace::nowhere);
    EXPECT_EQ(v.seen_before, 0u);
  }
}

TEST(Judge, KindsOfSegments) {
  TcpFlow flow;
  EXPECT_EQ(judged(flow, 1000, 100).kind, Kind::first);
  flow.data(1000, 100);
  EXPECT_EQ(judged(flow, 1100, 100).kind, Kind::in_order);
  EXPECT_EQ(judged(flow, 1100, 0).kind, Kind::in_order);
  EXPECT_EQ(judged(flow, 1101, 100).kind, Kind::ahead);
  EXPECT_EQ(judged(flow, 1099, 1).kind, Kind::keep_alive);
  EXPECT_EQ(judged(flow, 1099, 0).kind, Kind::keep_alive);
  EXPECT_EQ(judged(flow, 1099, 2).kind, Kind::retransmitted);
  EXPECT_EQ(judged(flow, 1099, 1, kFin).kind, Kind::retransmitted);
  EXPECT_EQ(judged(flow, 1050, 0).kind, Kind::behind);
  EXPECT_EQ(judged(flow, 900, 50).kind, Kind::out_of_order);
  flow.data(1200, 100);
  EXPECT_EQ(judged(flow, 1100, 100).kind, Kind::out_of_order);
  EXPECT_EQ(judged(flow, 1100, 101).kind, Kind::retransmitted);
}

// The SYN comes again, with payload that comes for the first time.
TEST(Judge, PayloadOfALateSynMayBeInOrder) {
  TcpFlow flow;
  flow.syn(999);
  const Verdict v = judged(flow, 999, 100, kSyn);
  EXPECT_EQ(v.kind, Kind::in_order);
  EXPECT_EQ(v.place, SpanPlace::within);
  EXPECT_EQ(judged(flow, 999, 0, kSyn).kind, Kind::behind);
}

TEST(Judge, NewBytesAreThePayloadWithoutWhatWasSeen) {
  TcpFlow flow;
  flow.data(1000, 100).data(1200, 100);
  using Range = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(new_bytes(flow, 1300, 50), Range(1300, 1350));
  EXPECT_EQ(new_bytes(flow, 1290, 50), Range(1300, 1340));
  EXPECT_EQ(new_bytes(flow, 980, 50), Range(980, 1000));
  EXPECT_EQ(new_bytes(flow, 1100, 50), Range(1100, 1150));
  EXPECT_EQ(new_bytes(flow, 900, 50), Range(900, 950));
  const auto [begin, end] = new_bytes(flow, 1020, 50);
  EXPECT_EQ(begin, end);
  EXPECT_EQ(new_bytes(flow, 1050, 100), Range(1050, 1150));  // scattered, as far as one look at the holes tells
  EXPECT_EQ(judged(flow, 1050, 100).seen_before, 50u);
}

TEST(Judge, ABoundaryMakesTheNumbersFresh) {
  TcpFlow flow;
  flow.syn(999).data(1000, 100);
  const Verdict idle = judged(flow, test_segment(1001).tcp(1000, kAck, 100));
  EXPECT_EQ(idle.boundary, Boundary::idle);
  EXPECT_EQ(idle.kind, Kind::first);
  const Verdict other = judged(flow, 5000, 0, kSyn);
  EXPECT_EQ(other.boundary, Boundary::incarnation);
  EXPECT_EQ(other.kind, Kind::first);
  EXPECT_EQ(other.start, 5000);
  flow.state.end_ns = 9999;
  const Verdict active = judged(flow, test_segment(10'000).tcp(1000, kAck, 100));
  EXPECT_EQ(active.boundary, Boundary::active);
  EXPECT_EQ(active.kind, Kind::retransmitted);
  flow.state.bits = 0;
  const Verdict opening = judged(flow, 1000, 100);
  EXPECT_EQ(opening.boundary, Boundary::opening);
  EXPECT_EQ(opening.kind, Kind::first);
}

TEST(Judge, ByTheTableKnowsOnlyWhatItSays) {
  TcpFlow flow;
  flow.data(1000, 100);
  const auto by_table = [&flow](std::uint32_t sequence, bool again) {
    return judge_by_table(Verdict{}, flow.state, test_segment(0).tcp(sequence, kAck, 50), false, again);
  };
  EXPECT_EQ(by_table(1000, false).kind, Kind::behind);
  EXPECT_EQ(by_table(1000, false).seen_before, 0u);
  EXPECT_EQ(by_table(1000, true).kind, Kind::retransmitted);
  EXPECT_EQ(by_table(5000, true).seen_before, 50u);
  EXPECT_EQ(by_table(1100, false).kind, Kind::in_order);
}

// The numbers seen, one by one, and what section 6 of the definitions says of a segment that is no duplicate.
class PlainSet {
 public:
  Kind kind_of(const Segment& s, const SequenceSpan& span) const {
    if (s.flags & kRst) return Kind::reset;
    if (!any_) return Kind::first;
    const bool below = span.payload().size() > 0 && span.first_byte < highest_;
    if (!(s.flags & (kSyn | kFin)) && s.payload_length <= 1 && span.start == highest_ - 1) return Kind::keep_alive;
    if (below) return again(span) ? Kind::retransmitted : Kind::out_of_order;
    if (span.start > highest_) return Kind::ahead;
    return span.start == highest_ || span.payload().size() > 0 ? Kind::in_order : Kind::behind;
  }
  std::uint32_t again(const SequenceSpan& span) const {
    std::uint32_t count = 0;
    for (std::int64_t n = span.first_byte; n < span.fin; ++n) count += is_seen(n);
    return count;
  }
  bool is_seen(std::int64_t number) const { return seen_.contains(number); }
  void take(const Segment& s, const SequenceSpan& span) {
    if (s.flags & kRst) return;
    for (std::int64_t n = span.start; n < span.end; ++n) seen_.insert(n);
    highest_ = any_ ? std::max(highest_, span.end) : span.end;
    any_ = true;
  }

 private:
  std::set<std::int64_t> seen_;
  std::int64_t highest_ = 0;
  bool any_ = false;
};

// All that is new lies in the range; nothing else does, unless it is scattered.
void expect_new_bytes(const PlainSet& model, const Verdict& v, const Segment& s) {
  const NumberRange range = v.new_bytes(s), payload = v.span(s).payload();
  for (std::int64_t n = payload.begin; n < payload.end; ++n) {
    const bool inside = range.begin <= n && n < range.end;
    const bool is_new = !model.is_seen(n);
    ASSERT_TRUE(inside == is_new || (inside && v.overlap == Overlap::scattered)) << n;
  }
  ASSERT_GE(range.begin, payload.begin);
  ASSERT_LE(range.end, payload.end);
}

using Tally = std::map<std::pair<Kind, Overlap>, int>;

// Starts a little before 2^32, so that the flow wraps on its way.
void judge_flow(unsigned seed, Tally& tally) {
  std::mt19937 random(seed);
  const auto draw = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  constexpr std::uint8_t kFlags[] = {kFin, kRst};  // the places of SYNs are told by their kind
  TcpFlow flow;
  PlainSet model;
  std::int64_t around = 0xffffff80;
  for (int i = 0; i < 150; ++i) {
    const std::int64_t start = i && draw(12) == 0 ? flow.state.highest - 1 : around + draw(80) - 45;
    const std::uint8_t flags = i && draw(5) == 0 ? kFlags[draw(2)] : kAck;
    const Segment s = test_segment(0).tcp(on_wire(start), flags, draw(3) ? draw(40) : draw(2));
    const Verdict v = judge_numbers(Verdict{}, flow.state, s, false, flow.holes);
    const SequenceSpan span = span_from(start, s);
    ASSERT_EQ(v.kind, model.kind_of(s, span)) << "segment " << i;
    if (v.kind != Kind::reset) {
      ASSERT_EQ(v.start, start);
      ASSERT_EQ(v.seen_before, model.again(span));
      expect_new_bytes(model, v, s);
    }
    ++tally[{v.kind, v.overlap}];
    apply_segment(flow.state, s, v, flow.holes);
    flow.state.holes = flow.holes.any();
    model.take(s, span);
    around += draw(6);
  }
}

TEST(Judge, RandomSegmentsAgreeWithAPlainSet) {
  Tally tally;
  for (unsigned seed = 0; seed < 110 && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    judge_flow(seed, tally);
  }
  for (const Kind kind : {Kind::reset, Kind::first, Kind::in_order, Kind::ahead, Kind::keep_alive, Kind::retransmitted,
                          Kind::out_of_order, Kind::behind}) {
    EXPECT_GE((tally[{kind, Overlap::front}]), 50) << static_cast<int>(kind);
  }
  EXPECT_GE((tally[{Kind::retransmitted, Overlap::back}]), 20);
  EXPECT_GE((tally[{Kind::retransmitted, Overlap::scattered}]), 50);
}

// A device judges numbers once more when the flow, or the part, that begins with the segment has begun.
TEST(Judge, NumbersAreTheSameBeforeAndAfterTheBoundary) {
  std::mt19937 random(1);
  const auto draw = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  std::map<Boundary, int> tally;
  for (int i = 0; i < 3000; ++i) {
    TcpFlow flow;
    flow.syn(99).data(100, 40).data(160, 40);
    flow.state.end_ns = draw(2) ? 0 : 9999;
    if (draw(8) == 0) flow.state.bits = 0;
    const auto flags = static_cast<std::uint8_t>(draw(4) ? kAck : draw(8));
    const Segment s = test_segment(draw(3) ? draw(1000) : 10'500).tcp(draw(220), flags, draw(60));
    const Verdict before = judged(flow, s), boundary = judge_boundary(flow.state, s, false, kShort);
    ++tally[before.boundary];
    if (opens_flow(before.boundary)) start_flow(flow.state, next_packet(s, false), 1);
    else if (before.boundary == Boundary::active) start_part(flow.state, next_packet(s, false), 1);
    const Verdict after = judge_numbers(boundary, flow.state, s, false, flow.holes);
    ASSERT_EQ(after.kind, before.kind);
    ASSERT_EQ(after.place, before.place);
    ASSERT_EQ(after.start, before.start);
    ASSERT_EQ(after.seen_before, before.seen_before);
    ASSERT_EQ(after.overlap, before.overlap);
  }
  for (const Boundary boundary :
       {Boundary::none, Boundary::idle, Boundary::incarnation, Boundary::active, Boundary::opening}) {
    EXPECT_GE(tally[boundary], 50) << static_cast<int>(boundary);
  }
}

}  // namespace
}  // namespace warpmeter::test
