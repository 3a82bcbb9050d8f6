// Retransmitted and out-of-order segments (section 6, rules 2, 4 and 5 of the definitions).
#include <gtest/gtest.h>

#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

void expect_counts(const TcpFlow& flow, std::uint64_t segments, std::uint64_t bytes, std::uint64_t out_of_order) {
  const Partial r = flow.record();
  EXPECT_EQ(r.retransmitted_segments, segments);
  EXPECT_EQ(r.retransmitted_bytes, bytes);
  EXPECT_EQ(r.out_of_order_segments, out_of_order);
  EXPECT_EQ(r.keep_alive_segments, 0u);
}

TEST(Retransmission, SegmentsInOrderAreNone) {
  TcpFlow flow;
  flow.syn(999).data(1000, 100).data(1100, 100).fin(1200);
  expect_counts(flow, 0, 0, 0);
}

TEST(Retransmission, SameSegmentAgain) {
  TcpFlow flow;
  flow.data(1000, 100).data(1000, 100).data(1000, 100);
  expect_counts(flow, 2, 200, 0);
  EXPECT_EQ(flow.record().data_segments, 3u);
  EXPECT_EQ(flow.record().payload_bytes, 300u);
}

TEST(Retransmission, SplitAnew) {
  TcpFlow flow;
  flow.data(1000, 100).data(1000, 40).data(1040, 60);
  expect_counts(flow, 2, 100, 0);
}

TEST(Retransmission, JoinedIntoOne) {
  TcpFlow flow;
  flow.data(1000, 40).data(1040, 60).data(1000, 100);
  expect_counts(flow, 1, 100, 0);
}

TEST(Retransmission, OnlyTheBytesSeenBeforeCount) {
  TcpFlow flow;
  flow.data(1000, 100).data(1050, 100);
  expect_counts(flow, 1, 50, 0);
  EXPECT_EQ(flow.state.highest, 1150);
}

TEST(Retransmission, ReachingBelowTheLowestNumber) {
  TcpFlow flow;
  flow.data(1000, 100).data(950, 100);
  expect_counts(flow, 1, 50, 0);
  EXPECT_EQ(flow.state.lowest, 950);
  EXPECT_EQ(flow.missing(), 0);
}

TEST(Retransmission, AroundEverythingSeen) {
  TcpFlow flow;
  flow.data(1000, 100).data(900, 300);
  expect_counts(flow, 1, 100, 0);
}

TEST(Retransmission, OneByteOfManyIsEnough) {
  TcpFlow flow;
  flow.data(1000, 100).data(1099, 1000);
  expect_counts(flow, 1, 1, 0);
}

TEST(Retransmission, ExactlyBehindIsNone) {
  TcpFlow flow;
  flow.data(1000, 100).data(1100, 1);
  expect_counts(flow, 0, 0, 0);
}

TEST(OutOfOrder, FillingAHole) {
  TcpFlow flow;
  flow.data(1000, 100).data(1200, 100).data(1100, 100);
  expect_counts(flow, 0, 0, 1);
  EXPECT_EQ(flow.missing(), 0);
}

TEST(OutOfOrder, JumpingAheadIsNone) {
  TcpFlow flow;
  flow.data(1000, 100).data(1200, 100);
  expect_counts(flow, 0, 0, 0);
}

TEST(OutOfOrder, FilledHoleSentAgainIsRetransmitted) {
  TcpFlow flow;
  flow.data(1000, 100).data(1200, 100).data(1100, 100).data(1100, 100);
  expect_counts(flow, 1, 100, 1);
}

TEST(OutOfOrder, EachPieceOfAHoleCounts) {
  TcpFlow flow;
  flow.data(1000, 100).data(1400, 100).data(1200, 50).data(1300, 100).data(1100, 100).data(1250, 50);
  expect_counts(flow, 0, 0, 4);
  EXPECT_EQ(flow.missing(), 0);
}

TEST(OutOfOrder, HoleAndSeenBytesTogetherAreARetransmission) {
  TcpFlow flow;
  flow.data(1000, 100).data(1200, 100).data(1050, 200);
  expect_counts(flow, 1, 100, 0);
  EXPECT_EQ(flow.missing(), 0);
}

TEST(OutOfOrder, BelowAllThatWasSeen) {
  TcpFlow flow;
  flow.data(1000, 100).data(800, 100);
  expect_counts(flow, 0, 0, 1);
  EXPECT_EQ(flow.missing(), 100);
}

TEST(OutOfOrder, BelowABareAcknowledgement) {
  TcpFlow flow;
  flow.ack(1000).data(900, 100);
  expect_counts(flow, 0, 0, 1);
  EXPECT_EQ(flow.missing(), 0);
}

TEST(Retransmission, BareAcknowledgementsAreNone) {
  TcpFlow flow;
  flow.data(1000, 100).ack(1000).ack(1050).ack(1100);
  expect_counts(flow, 0, 0, 0);
  EXPECT_EQ(flow.record().data_segments, 1u);
}

TEST(Retransmission, RepeatedSynAndFinAreNoData) {
  TcpFlow flow;
  flow.syn(999).syn(999).fin(1000).fin(1000);
  expect_counts(flow, 0, 0, 0);
  EXPECT_EQ(flow.record().data_segments, 0u);
}

TEST(Retransmission, SynPayloadStartsOneHigher) {
  TcpFlow flow;
  flow.syn(999, 50).data(1000, 50);
  expect_counts(flow, 1, 50, 0);
  flow.data(1050, 10);
  expect_counts(flow, 1, 50, 0);
}

TEST(Retransmission, SynWithPayloadSentAgain) {
  TcpFlow flow;
  flow.syn(999, 50).syn(999, 50);
  expect_counts(flow, 1, 50, 0);
  EXPECT_EQ(flow.record().data_segments, 2u);
}

TEST(Retransmission, LateSynIsNoneThoughDataCameFirst) {
  TcpFlow flow;
  flow.data(1000, 50).syn(999);
  expect_counts(flow, 0, 0, 0);
  EXPECT_EQ(flow.missing(), 0);
}

TEST(Retransmission, DataWithFinCountsItsBytesOnly) {
  TcpFlow flow;
  flow.fin(1000, 50).fin(1000, 50);
  expect_counts(flow, 1, 50, 0);
}

// The number of a FIN was carried, so a byte under the same number is seen before.
TEST(Retransmission, ByteUnderTheNumberOfAFin) {
  TcpFlow flow;
  flow.fin(1000).data(1000, 10);
  expect_counts(flow, 1, 1, 0);
}

TEST(Retransmission, SurvivesTheActiveTimeout) {
  TcpFlow flow;
  flow.data(1000, 100).data(1200, 100).cut().data(1000, 100).data(1100, 100);
  expect_counts(flow, 1, 100, 1);
  EXPECT_EQ(flow.missing(), 0);
}

}  // namespace
}  // namespace warpmeter::test
