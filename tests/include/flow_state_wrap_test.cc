// Sequence numbers that wrap, jump half the range, or come with a reset (sections 6, 10.5 and 10.31 of the
// definitions).
#include <gtest/gtest.h>

#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

constexpr std::int64_t kHalf = std::int64_t{1} << 31;
constexpr std::int64_t kWrap = std::int64_t{1} << 32;

TEST(Wrap, SegmentAcrossZero) {
  TcpFlow flow;
  flow.data(0xffffffce, 100).data(50, 100);
  EXPECT_EQ(flow.record().retransmitted_segments, 0u);
  EXPECT_EQ(flow.missing(), 0);
  flow.data(0xffffffce, 100);
  EXPECT_EQ(flow.record().retransmitted_bytes, 100u);
}

TEST(Wrap, HoleAcrossZero) {
  TcpFlow flow;
  flow.data(0xffffff9c, 50).data(50, 10);
  EXPECT_EQ(flow.missing(), 100);
  flow.data(0xffffffce, 100);
  EXPECT_EQ(flow.missing(), 0);
  EXPECT_EQ(flow.record().out_of_order_segments, 1u);
}

TEST(Wrap, LowestBelowZero) {
  TcpFlow flow;
  flow.data(10, 10).data(0xfffffff6, 20);
  EXPECT_EQ(flow.record().out_of_order_segments, 1u);
  EXPECT_EQ(flow.state.lowest, -10);
  EXPECT_EQ(flow.record().lowest, 0xfffffff6u);
}

TEST(Wrap, AnyNumberOfTimes) {
  TcpFlow flow;
  constexpr std::uint32_t kStep = 1 << 29;  // 2^30 below the highest end nothing fits
  for (std::uint32_t i = 0; i < 41; ++i) flow.data(i * kStep, kStep);
  EXPECT_EQ(flow.state.highest, 41ll * kStep);
  EXPECT_EQ(flow.record().retransmitted_segments, 0u);
  EXPECT_EQ(flow.record().payload_bytes, 41ull * kStep);
  flow.data(40 * kStep, 8);
  EXPECT_EQ(flow.record().retransmitted_bytes, 8u);
}

TEST(Wrap, ExactlyHalfTheRangeIsBelow) {
  TcpFlow flow;
  flow.ack(0).data(0x80000000, 10).data(0x8000000a, 10);
  EXPECT_EQ(flow.record().stray_segments, 1u);
  EXPECT_EQ(flow.missing(), 0);  // other numbers
  EXPECT_EQ(flow.state.highest, 20 - kHalf);
}

TEST(Wrap, OneLessThanHalfTheRangeIsAbove) {
  TcpFlow flow;
  flow.ack(0).data(0x7fffffff, 10).data(0x80000009, 10);
  EXPECT_EQ(flow.record().stray_segments, 1u);
  EXPECT_EQ(flow.record().out_of_order_segments, 0u);
  EXPECT_EQ(flow.missing(), kHalf - 1);
}

TEST(Wrap, ComparedWithTheHighestEndAndNotTheLowest) {
  TcpFlow flow;
  flow.data(0, 0x60000000).data(0x60000000, 0x60000000).data(0xc0000000, 0x60000000);
  EXPECT_EQ(flow.state.highest, kWrap + 0x20000000);
  EXPECT_EQ(flow.record().retransmitted_segments, 0u);
}

TEST(Reset, TouchesNoSequenceState) {
  TcpFlow flow;
  flow.data(1000, 100);
  const FlowState before = flow.state;
  flow.rst(1000, 50).rst(5000).segment(kRst | kFin, 1100, 0).segment(kRst | kSyn, 77, 0);
  EXPECT_EQ(flow.state.lowest, before.lowest);
  EXPECT_EQ(flow.state.highest, before.highest);
  EXPECT_EQ(flow.state.bits & (kIsn | kFinKnown), 0);
  EXPECT_FALSE(flow.holes.any());
}

TEST(Reset, CountsInTheFlagColumnsOnly) {
  TcpFlow flow;
  flow.segment(kRst | kFin, 1100, 20).segment(kRst | kSyn, 77, 20);
  const Partial r = flow.record();
  EXPECT_EQ(r.rst_count, 2u);
  EXPECT_EQ(r.fin_count, 1u);
  EXPECT_EQ(r.syn_count, 1u);
  EXPECT_EQ(r.tcp_flags, kRst | kFin | kSyn);
  EXPECT_EQ(r.data_segments, 0u);
  EXPECT_EQ(r.payload_bytes, 0u);
  EXPECT_EQ(r.flags & kHasConnection, 0);
  EXPECT_EQ(r.part & (kIsnKnown | kLowestKnown), 0);
}

TEST(Reset, PayloadAfterItIsNotSeenBefore) {
  TcpFlow flow;
  flow.data(1000, 100).rst(1100, 50).data(1100, 50);
  EXPECT_EQ(flow.record().retransmitted_segments, 0u);
  EXPECT_EQ(flow.record().data_segments, 2u);
}

}  // namespace
}  // namespace warpmeter::test
