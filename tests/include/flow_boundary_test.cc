// Where a flow ends, at the very edges, and with which reason (section 5 of the definitions).
#include "core/flow_boundary.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr Timeouts kDefaults;
constexpr Origin kNothingKnown;
constexpr Origin kIsn1000{.isn = 1000, .lowest = 1000, .isn_known = true, .lowest_known = true};

NextPacket plain(std::int64_t time_ns) { return {time_ns, 0, false}; }
NextPacket syn(std::int64_t time_ns, std::uint32_t sequence) { return {time_ns, sequence, true}; }
NextPacket syn_ack(std::uint32_t sequence, std::uint32_t acknowledgement) {
  return {0, sequence, true, true, acknowledgement};
}
SynKind kind_of(const Origin& origin, std::uint32_t sequence, bool earliest = false) {
  return judge_syn(origin, syn(0, sequence), earliest);
}

Boundary before(const NextPacket& next, std::int64_t start_ns, std::int64_t end_ns, const Timeouts& t = kDefaults) {
  return boundary_before(start_ns, end_ns, kIsn1000, next, t);
}

TEST(FlowBoundary, DefaultTimeouts) {
  EXPECT_EQ(kDefaults.idle_ns, 300 * kSecond);
  EXPECT_EQ(kDefaults.active_ns, 1800 * kSecond);
}

TEST(FlowBoundary, SilenceOfExactlyTheIdleTimeoutGoesOn) {
  EXPECT_EQ(before(plain(307 * kSecond), 0, 7 * kSecond), Boundary::none);
}

TEST(FlowBoundary, OneNanosecondMoreIsIdle) {
  EXPECT_EQ(before(plain(307 * kSecond + 1), 0, 7 * kSecond), Boundary::idle);
}

TEST(FlowBoundary, ExactlyTheActiveTimeoutCuts) {
  EXPECT_EQ(before(plain(1800 * kSecond), 0, 1799 * kSecond), Boundary::active);
}

TEST(FlowBoundary, OneNanosecondBeforeTheActiveTimeoutGoesOn) {
  EXPECT_EQ(before(plain(1800 * kSecond - 1), 0, 1799 * kSecond), Boundary::none);
}

TEST(FlowBoundary, ZeroMeansNever) {
  EXPECT_EQ(before(plain(100'000 * kSecond), 0, 0, {.idle_ns = 0, .active_ns = 0}), Boundary::none);
  EXPECT_EQ(before(plain(100'000 * kSecond), 0, 0, {.idle_ns = 0, .active_ns = kSecond}), Boundary::active);
  EXPECT_EQ(before(plain(100'000 * kSecond), 0, 0, {.idle_ns = kSecond, .active_ns = 0}), Boundary::idle);
}

TEST(FlowBoundary, TimeRunningBackIsNoSilence) {
  EXPECT_EQ(before(plain(-1000 * kSecond), 0, 10 * kSecond), Boundary::none);
}

TEST(FlowBoundary, FarthestTimesDoNotOverflow) {
  constexpr std::int64_t kFar = std::int64_t{1} << 62;
  EXPECT_EQ(before(plain(kFar - 1), -kFar, -kFar), Boundary::idle);
  EXPECT_EQ(before(plain(-kFar), kFar - 1, kFar - 1), Boundary::none);
}

TEST(FlowBoundary, IdleIsTestedBeforeIncarnation) { EXPECT_EQ(before(syn(301 * kSecond, 5), 0, 0), Boundary::idle); }

TEST(FlowBoundary, IncarnationIsTestedBeforeActive) {
  EXPECT_EQ(before(syn(1800 * kSecond, 5), 0, 1790 * kSecond), Boundary::incarnation);
}

TEST(FlowBoundary, IdleIsTestedBeforeActive) { EXPECT_EQ(before(plain(1800 * kSecond), 0, 0), Boundary::idle); }

TEST(FlowBoundary, RepeatedSynIsNoIncarnationButMayBeCut) {
  EXPECT_EQ(before(syn(0, 1000), 0, 0), Boundary::none);
  EXPECT_EQ(before(syn(1800 * kSecond, 1000), 0, 1790 * kSecond), Boundary::active);
}

TEST(FlowBoundary, OtherSynIsAnIncarnation) {
  EXPECT_EQ(before(syn(0, 1001), 0, 0), Boundary::incarnation);
  EXPECT_EQ(before(syn(0, 999), 0, 0), Boundary::incarnation);
}

// With the ISN known, the lowest number plays no part.
TEST(FlowBoundary, KnownIsnDecidesAlone) {
  const Origin origin{.isn = 1000, .lowest = 501, .isn_known = true, .lowest_known = true};
  EXPECT_EQ(kind_of(origin, 500), SynKind::other);
  EXPECT_EQ(kind_of(origin, 1000), SynKind::own);
  EXPECT_EQ(kind_of(origin, 999, true), SynKind::other);
}

// Stacks that start at the same number each time.
TEST(FlowBoundary, AnIsnIsUsedAgainAfterTheEnd) {
  const Origin origin{.isn = 1000, .lowest = 1000, .isn_known = true, .lowest_known = true, .ended = true};
  EXPECT_EQ(kind_of(origin, 1000), SynKind::other);
}

TEST(FlowBoundary, LateSynBelongsToAFlowMetMidStream) {
  const Origin origin{.lowest = 501, .lowest_known = true};
  EXPECT_EQ(kind_of(origin, 500), SynKind::own);
  EXPECT_EQ(kind_of(origin, 501), SynKind::other);
  EXPECT_EQ(kind_of(origin, 499), SynKind::other);
}

// Over another ring: what came first of the flow need not be its first byte.
TEST(FlowBoundary, ASynOlderThanTheFlowMayBeFurtherBelow) {
  for (const std::uint32_t lowest : {501u, 7u}) {
    const Origin origin{.lowest = lowest, .lowest_known = true};
    EXPECT_EQ(kind_of(origin, lowest - 1, true), SynKind::own);
    EXPECT_EQ(kind_of(origin, lowest - 1 - (1u << 26), true), SynKind::own);
    EXPECT_EQ(kind_of(origin, lowest - 2 - (1u << 26), true), SynKind::other);
    EXPECT_EQ(kind_of(origin, lowest, true), SynKind::other);
    EXPECT_EQ(kind_of(origin, lowest - 2, false), SynKind::other);
  }
  const Origin origin{.lowest = 501, .lowest_known = true};
  EXPECT_EQ(boundary_before(10, 20, origin, syn(9, 400), kDefaults), Boundary::none);
  EXPECT_EQ(boundary_before(10, 20, origin, syn(10, 400), kDefaults), Boundary::incarnation);
}

TEST(FlowBoundary, ASecondAnswerAcknowledgesTheSameSyn) {
  Origin origin{.isn = 1000, .lowest = 1000, .answer = 77, .isn_known = true, .lowest_known = true, .answered = true};
  EXPECT_EQ(judge_syn(origin, syn_ack(5000, 77), false), SynKind::second_answer);
  EXPECT_EQ(judge_syn(origin, syn_ack(1000, 77), false), SynKind::own);
  EXPECT_EQ(judge_syn(origin, syn_ack(5000, 78), false), SynKind::other);
  EXPECT_EQ(judge_syn(origin, {0, 5000, true, false, 77}, false), SynKind::other);  // no ACK
  origin.closing = true;
  EXPECT_EQ(judge_syn(origin, syn_ack(5000, 77), false), SynKind::other);
  origin.ambiguous = true;
  EXPECT_EQ(judge_syn(origin, syn_ack(5000, 77), false), SynKind::second_answer);
  origin.answered = false;
  EXPECT_EQ(judge_syn(origin, syn_ack(5000, 77), false), SynKind::other);
}

TEST(FlowBoundary, LateSynBelongsToItsFlowAcrossTheWrap) {
  const Origin origin{.lowest = 0, .lowest_known = true};
  EXPECT_EQ(kind_of(origin, 0xffffffff), SynKind::own);
}

// A flow that so far had resets and broken headers only.
TEST(FlowBoundary, SynStartsAFlowWhereNothingIsKnown) {
  EXPECT_EQ(kind_of(kNothingKnown, 0), SynKind::other);
  EXPECT_EQ(kind_of(kNothingKnown, 0xffffffff), SynKind::other);
}

TEST(FlowBoundary, EndReasons) {
  EXPECT_EQ(end_reason_of(Boundary::idle), EndReason::idle);
  EXPECT_EQ(end_reason_of(Boundary::active), EndReason::active);
  EXPECT_EQ(end_reason_of(Boundary::incarnation), EndReason::end_of_flow);
  EXPECT_EQ(static_cast<int>(EndReason::idle), 1);
  EXPECT_EQ(static_cast<int>(EndReason::active), 2);
  EXPECT_EQ(static_cast<int>(EndReason::end_of_flow), 3);
  EXPECT_EQ(static_cast<int>(EndReason::forced), 4);
  EXPECT_EQ(static_cast<int>(EndReason::lack_of_resources), 5);
}

TEST(FlowBoundary, ClosedFlowDidNotMerelyFallSilent) {
  EXPECT_EQ(with_closing(EndReason::idle, true), EndReason::end_of_flow);
  EXPECT_EQ(with_closing(EndReason::forced, true), EndReason::end_of_flow);
  EXPECT_EQ(with_closing(EndReason::active, true), EndReason::active);
  EXPECT_EQ(with_closing(EndReason::lack_of_resources, true), EndReason::lack_of_resources);
  EXPECT_EQ(with_closing(EndReason::idle, false), EndReason::idle);
  EXPECT_EQ(with_closing(EndReason::forced, false), EndReason::forced);
}

}  // namespace
}  // namespace warpmeter::test
