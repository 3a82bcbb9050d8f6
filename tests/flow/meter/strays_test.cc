// Segments whose sequence numbers do not fit, second answers to a SYN, and SYNs that come late or again (sections 5 and
// 6 of the definitions): packets in, partials out. Every number was reckoned by hand.
#include <gtest/gtest.h>

#include "flow/meter/shard_driver.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kNear = 1u << 26, kFar = 1u << 30;
constexpr std::uint8_t kPlain = kAck, kSynAck = kSyn | kAck, kFinAck = kFin | kAck;

struct Timed {
  std::int64_t time_ns;
  std::uint32_t sequence;
  std::uint32_t payload = 0;
  std::uint8_t flags = kPlain;
  std::uint32_t acknowledged = 7;
  bool copy = false;  // has the identity of the packet before it
};

struct Metered {
  std::vector<Partial> flows;
  std::uint64_t jumps;
};

Metered run(const std::vector<Timed>& packets, const Timeouts& timeouts = {0, 0}, Method method = Method::exact) {
  MeterOptions options = meter_options();
  options.timeouts = timeouts;
  options.method = method;
  options.five_tuple.block = 1 << 20;
  ShardDriver driver(options);
  std::uint32_t id = 0;
  for (const Timed& p : packets) {
    id += !p.copy;
    const std::uint64_t identity = std::uint64_t{p.acknowledged} << 32;
    driver.packet(1, test_segment(p.time_ns).tcp(p.sequence, p.flags, p.payload).identified(identity, id));
  }
  const std::vector<Partial> flows = driver.drain();
  return {flows, driver.shard().counters().jumps};
}

Partial one(const std::vector<Timed>& packets, const Timeouts& timeouts = {0, 0}) {
  const Metered got = run(packets, timeouts);
  EXPECT_EQ(got.flows.size(), 1u);
  return got.flows.at(0);
}

std::size_t flows(const std::vector<Timed>& packets, const Timeouts& timeouts = {0, 0}) {
  return run(packets, timeouts).flows.size();
}

void expect(const Partial& flow, std::uint64_t strays, std::uint64_t missing, std::uint64_t out_of_order) {
  EXPECT_EQ(flow.stray_segments, strays);
  EXPECT_EQ(flow.missing_bytes, missing);
  EXPECT_EQ(flow.out_of_order_segments, out_of_order);
}

std::int64_t connection_bytes(const Partial& flow) { return flow.flags & kHasConnection ? flow.connection_bytes : -1; }

// Highest end at `start`. Across the wrap it is the same.
TEST(Strays, BeginMoreThan2To26AboveOr2To30BelowTheHighestEnd) {
  for (const std::uint32_t start : {110u, 0u - 5}) {
    const Timed base{1, start - 10, 10};
    expect(one({base, {2, start + kNear, 10}, {3, start, 10}}), 0, kNear - 10, 1);
    const Partial far = one({base, {2, start + kNear + 1, 10}, {3, start, 10}});
    expect(far, 1, 0, 0);
    EXPECT_EQ(far.packets, 3u);
    EXPECT_EQ(far.data_segments, 3u);
    EXPECT_EQ(far.payload_bytes, 30u);
    EXPECT_EQ(far.retransmitted_segments, 0u);
    expect(one({base, {2, start - kFar, 10}, {3, start, 10}}), 1, 0, 0);
    expect(one({base, {2, start - kFar + 1, 10}, {3, start, 10}}), 0, kFar - 1 - 20, 1);
  }
  for (const std::uint32_t number : {110 + kNear + 1, 110 + 2 * kFar, 110 - kFar}) {
    expect(one({{1, 100, 10}, {2, number}, {3, 110, 10}}), 1, 0, 0);  // bare acknowledgements too
  }
}

TEST(Strays, CountTheirFlagsAndNotTheirNumbers) {
  Metered got = run({{1, 100, 0, kSyn}, {2, 101, 10}, {3, 2 * kFar, 5, kFinAck}, {4, 111, 0, kFinAck}});
  ASSERT_EQ(got.flows.size(), 1u);
  const Partial& flow = got.flows[0];
  expect(flow, 1, 0, 0);
  EXPECT_EQ(flow.fin_count, 2u);
  EXPECT_EQ(flow.payload_bytes, 15u);
  EXPECT_EQ(connection_bytes(flow), 10);
  EXPECT_EQ(flow.connection_ns, 3);
  // No reset is one, nor a duplicate, nor the first packet.
  const Partial others =
      one({{1, 100, 10}, {2, 2 * kFar, 5}, {2, 2 * kFar, 5, kPlain, 7, true}, {3, 2 * kFar, 0, kRst}});
  expect(others, 1, 0, 0);
  EXPECT_EQ(others.duplicate_packets, 1u);
  expect(one({{1, 2 * kFar, 5}}), 0, 0, 0);
}

TEST(Strays, BeginBelowTheIsn) {
  expect(one({{1, 1000, 0, kSyn}, {2, 999, 1}, {3, 1001, 10}}), 1, 0, 0);
  expect(one({{1, 1000, 0, kSyn}, {2, 1000, 5}, {3, 1005, 10}}), 0, 0, 0);
  expect(one({{1, 1001, 10}, {2, 999, 1}}), 0, 1, 1);  // the beginning is not known
  expect(one({{1, 0u - 2, 0, kSyn}, {2, 0u - 1, 9}, {3, 0u - 3, 1}}), 1, 0, 0);
  // An ISN 2^30 - 1 below the highest end counts, one further below no more.
  for (const std::uint32_t above : {kFar - 1, kFar}) {
    std::vector<Timed> packets{{1, 5, 0, kSyn}};
    for (std::uint32_t i = 1; i < 16; ++i) packets.push_back({1, 5 + i * kNear});
    packets.push_back({2, 5 + above});
    packets.push_back({3, above == kFar ? 5 + above - kFar + 1 : 4, 1});
    EXPECT_EQ(one(packets).stray_segments, above == kFar ? 0u : 1u);
  }
}

TEST(Strays, AreAGapWhereTheNextSegmentGoesOn) {
  constexpr std::uint32_t kGap = 3 * kNear;
  const Timed base{1, 100, 10};
  expect(one({base, {2, 110 + kGap, 10}, {3, 120 + kGap, 10}}), 1, kGap, 0);
  const Partial again = one({base, {2, 110 + kGap, 10}, {3, 120 + kGap, 10}, {4, 110 + kGap, 5}});
  EXPECT_EQ(again.retransmitted_bytes, 5u);
  // Up to 2^31 - 1 is ahead; 2^31 is behind, and a jump.
  expect(one({base, {2, 110 + 2 * kFar - 1, 10}, {3, 120 + 2 * kFar - 1, 10}}), 1, 2 * kFar - 1, 0);
  expect(one({base, {2, 110 + 2 * kFar, 10}, {3, 120 + 2 * kFar, 10}}), 1, 0, 0);
  // It may begin 2^26 from the candidate's end; further away it is the next candidate.
  for (const std::uint32_t way : {kNear, 1 - kNear}) {
    EXPECT_EQ(one({base, {2, 110 + kGap, 10}, {3, 120 + kGap + way, 10}}).stray_segments, 1u);
  }
  expect(one({base, {2, 110 + kGap, 10}, {3, 120 + kGap - kNear, 10}}), 1, kGap - 10, 1);
  for (const std::uint32_t way : {kNear + 1, 0u - kNear - 1}) {
    expect(one({base, {2, 110 + kGap, 10}, {3, 120 + kGap + way, 10}}), 2, 0, 0);
  }
  // The second of two comes first.
  expect(one({base, {2, 120 + kGap, 10}, {3, 110 + kGap, 10}}), 1, kGap, 1);
  // One in its place between them drops the candidate; a duplicate or a reset does not.
  expect(one({base, {2, 110 + kGap, 10}, {3, 110, 10}, {4, 120 + kGap, 10}, {5, 120, 10}}), 2, 0, 0);
  expect(one({base, {2, 110 + kGap, 10}, {2, 110 + kGap, 10, kPlain, 7, true}, {2, 3, 0, kRst}, {3, 120 + kGap, 10}}),
         1, kGap, 0);
}

TEST(Strays, TakeTheirFinAlongWhenTheyAreConfirmed) {
  constexpr std::uint32_t kGap = 1 << 28;
  const std::vector<Timed> packets{{1, 100, 0, kSyn}, {2, 101, 10}, {3, 111 + kGap, 10, kFinAck}, {4, 122 + kGap}};
  const Partial flow = one(packets);
  expect(flow, 1, kGap, 0);
  EXPECT_EQ(connection_bytes(flow), 20 + kGap);
  EXPECT_EQ(flow.connection_ns, 2);
  EXPECT_EQ(connection_bytes(one({packets[0], packets[1], packets[2]})), -1);
  const Metered cut = run(packets, {0, 3});
  ASSERT_EQ(cut.flows.size(), 2u);
  expect(cut.flows[0], 1, 0, 0);
  EXPECT_EQ(connection_bytes(cut.flows[0]), -1);
  expect(cut.flows[1], 0, kGap, 0);
  EXPECT_EQ(connection_bytes(cut.flows[1]), 20 + kGap);
  EXPECT_EQ(cut.flows[1].connection_ns, 2);
}

TEST(Strays, AreAJumpWhereTheNextSegmentGoesOnFarBelow) {
  constexpr std::uint32_t kLow = 130 - kFar;
  std::vector<Timed> packets{{1, 100, 10}, {1, 120, 10}, {2, kLow, 10}, {3, kLow + 10, 10}, {4, kLow + 25, 10}};
  const Metered got = run(packets);
  EXPECT_EQ(got.jumps, 1u);
  expect(got.flows.at(0), 1, 15, 0);
  packets.push_back({5, kLow, 20});
  EXPECT_EQ(one(packets).retransmitted_bytes, 20u);
  packets.back() = {5, 130, 10};
  expect(one(packets), 2, 15, 0);  // the old numbers
  // The candidate's successor is less than 2^30 below the highest end.
  expect(one({{1, 120, 10}, {2, kLow, 10}, {3, kLow + 10, 10}, {4, kLow + 20, 10}}), 1, 0, 0);
}

TEST(Strays, AJumpForgetsIsnAndFin) {
  const Partial below = one({{1, 1000, 0, kSyn}, {2, 500, 10}, {3, 510, 10, kFinAck}});
  expect(below, 1, 0, 0);
  EXPECT_EQ(connection_bytes(below), -1);
  EXPECT_EQ(connection_bytes(one({{1, 1000, 0, kSyn}, {2, 1001, 10, kFinAck}, {3, 500, 10}, {4, 510, 10}})), -1);
  const Partial byte_before = one({{1, 2 * kFar, 10}, {2, 100, 10}, {3, 110, 10}, {4, 2 * kFar + 9}});
  EXPECT_EQ(byte_before.keep_alive_segments, 0u);
  EXPECT_EQ(byte_before.stray_segments, 2u);
  std::vector<Timed> jump{{1, 1000, 0, kSyn}, {2, 3 * kFar, 10}, {3, 3 * kFar + 10, 10}, {4, 3 * kFar - 1, 0, kSyn}};
  EXPECT_EQ(flows(jump), 1u);
  jump.push_back({5, 3 * kFar + 20, 0, kFinAck});
  EXPECT_EQ(connection_bytes(one(jump)), -1);
  jump.pop_back();
  jump.back() = {4, 1000, 0, kSyn};
  EXPECT_EQ(flows(jump), 2u);
}

TEST(Strays, GoThroughAnActiveTimeout) {
  constexpr std::uint32_t kGap = 1 << 28;
  const Metered gaps = run({{1, 100, 10}, {2, 110 + kGap, 10}, {6, 120 + kGap, 10}, {7, 5 + 2 * kGap}}, {0, 5});
  ASSERT_EQ(gaps.flows.size(), 2u);
  expect(gaps.flows[0], 1, 0, 0);
  expect(gaps.flows[1], 1, kGap, 0);
  const Metered jump =
      run({{1, 1000, 0, kSyn}, {1, 1011, 10}, {2, 500, 10}, {3, 510, 10}, {7, 520, 0, kFinAck}}, {0, 5});
  ASSERT_EQ(jump.flows.size(), 2u);
  expect(jump.flows[1], 0, 10, 0);
  EXPECT_EQ(connection_bytes(jump.flows[1]), -1);
  const Metered idle = run({{1, 100, 10}, {9, 2 * kFar, 10}}, {2, 0});  // forgets
  EXPECT_EQ(idle.flows.at(1).stray_segments, 0u);
}

TEST(Strays, AreNotCountedByFiveTupleButTouchNoFin) {
  const std::vector<Timed> packets{{1, 100, 0, kSyn}, {2, 2 * kFar, 10}, {3, 2 * kFar, 10}, {4, 9, 4, kFinAck}};
  const Metered got = run(packets, {0, 0}, Method::five_tuple);
  ASSERT_EQ(got.flows.size(), 1u);
  EXPECT_EQ(got.flows[0].retransmitted_segments, 1u);  // whatever its numbers
  EXPECT_EQ(connection_bytes(got.flows[0]), -1);
}

TEST(Syns, TheOwnStandsAtItsIsnHoweverFarBelow) {
  std::vector<Timed> packets{{1, 4, 0, kSyn}};
  for (std::uint32_t i = 1; i <= 48; ++i) packets.push_back({1, 5 + i * kNear});
  packets.push_back({2, 4, 0, kSyn});
  packets.push_back({3, 5 + 48 * kNear, 10});
  expect(one(packets), 0, std::uint64_t{48} * kNear, 0);
}

TEST(Syns, ASecondAnswerForgetsTheIsnBeforeAnyByte) {
  const Timed a{1, 1000, 0, kSynAck}, b{2, 3 * kFar, 0, kSynAck};
  for (const Method method : {Method::exact, Method::five_tuple}) {
    const Metered got = run({a, b, {3, 1001, 10}, b, {5, 1011, 0, kFinAck}}, {0, 0}, method);
    ASSERT_EQ(got.flows.size(), 1u);
    expect(got.flows[0], 0, 0, 0);
    EXPECT_EQ(got.flows[0].syn_count, 3u);
    EXPECT_EQ(connection_bytes(got.flows[0]), -1);
    // After a byte it changes nothing.
    EXPECT_EQ(connection_bytes(run({a, {2, 1001, 10}, b, {4, 1011, 0, kFinAck}}, {0, 0}, method).flows.at(0)), 10);
    // The first once more, behind its byte, is the flow's own.
    const Metered own = run({a, b, {3, 1001, 10}, {4, 1000, 0, kSynAck}, {5, 1011, 0, kFinAck}}, {0, 0}, method);
    EXPECT_EQ(connection_bytes(own.flows.at(0)), 10);
    EXPECT_EQ(own.flows.at(0).connection_ns, 1);
  }
  expect(one({a, b, {3, 3 * kFar + 1, 10}}), 0, 0, 0);             // the second is used
  expect(one({a, {2, 1001}, b, {4, 3 * kFar + 1, 10}}), 0, 0, 0);  // a bare acknowledgement is no byte
  expect(one({a, {2, 3 * kFar, 0, kSynAck | kFin}, {3, 1001, 10}}), 0, 0, 0);
  const Metered cut = run({a, {7, 3 * kFar, 0, kSynAck}, {8, 3 * kFar + 1, 10}}, {0, 5});
  ASSERT_EQ(cut.flows.size(), 2u);
  expect(cut.flows[1], 0, 0, 0);
}

TEST(Syns, OthersOpenAnIncarnation) {
  const Timed a{1, 1000, 0, kSynAck}, b{2, 3 * kFar, 0, kSynAck};
  EXPECT_EQ(flows({a, {2, 3 * kFar, 0, kSynAck, 8}}), 2u);
  EXPECT_EQ(flows({a, {2, 3 * kFar, 0, kSyn}}), 2u);
  EXPECT_EQ(flows({{1, 1000, 0, kSyn}, b}), 2u);
  for (const std::uint8_t end : {kFinAck, kRst}) {
    EXPECT_EQ(flows({a, {2, 1001, 0, end}, b}), 2u);
    EXPECT_EQ(flows({a, b, {3, 1001, 0, end}, {4, 2 * kFar, 0, kSynAck}}), 1u);
  }
}

TEST(Syns, AnIsnIsUsedAgainAfterAFinOrAResetOfItsOwn) {
  const Timed s{1, 100, 0, kSyn};
  EXPECT_EQ(flows({s, {2, 101, 10, kFinAck}, s, {4, 101, 10, kFinAck}}), 2u);
  EXPECT_EQ(flows({s, s, {3, 101, 10, kFinAck}}), 1u);
  EXPECT_EQ(flows({s, {2, 2 * kFar, 0, kFinAck}, s}), 1u);  // after a stray's FIN
  EXPECT_EQ(flows({s, {2, 101, 10, kFinAck}, {7, 112}, {8, 100, 0, kSyn}}, {0, 5}), 3u);
  const std::pair<std::uint32_t, std::size_t> numbers[] = {{101, 2}, {111, 2}, {106, 2},     {100, 1},
                                                           {112, 1}, {90, 1},  {1u << 31, 1}};
  for (const auto& [number, expected] : numbers) {
    EXPECT_EQ(flows({s, {1, 101, 10}, {2, number, 0, kRst}, {5, 100, 0, kSyn}}), expected) << number;
  }
}

TEST(Syns, ALateOneBelongsToTheFlow) {
  const Partial late = one({{1, 101, 10}, {2, 100, 0, kSyn}, {3, 111, 0, kFinAck}});
  EXPECT_EQ(connection_bytes(late), 10);
  EXPECT_EQ(flows({{1, 101, 10}, {2, 500, 0, kSyn}}), 2u);
  // Older than the flow, it may be further below.
  const Partial older = one({{5, 131, 10}, {2, 100, 0, kSyn}, {4, 101, 10}, {6, 141, 0, kFinAck}});
  expect(older, 0, 20, 1);
  EXPECT_EQ(connection_bytes(older), 40);
  EXPECT_EQ(flows({{2, 131, 10}, {2, 100, 0, kSyn}}), 2u);
  EXPECT_EQ(flows({{2, 131 + kNear, 10}, {1, 130, 0, kSyn}}), 1u);
  EXPECT_EQ(flows({{2, 132 + kNear, 10}, {1, 130, 0, kSyn}}), 2u);
  EXPECT_EQ(flows({{2, 100, 10}, {1, 500, 0, kSyn}}), 2u);
  EXPECT_EQ(flows({{1, 101, 0, kRst}, {2, 100, 0, kSyn}}), 2u);
}

}  // namespace
}  // namespace warpmeter::test
