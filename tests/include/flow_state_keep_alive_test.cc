// Keep-alives (section 6, rule 3 and 10.6 of the definitions).
#include <gtest/gtest.h>

#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

TEST(KeepAlive, EmptySegmentOneBelowTheEnd) {
  TcpFlow flow;
  flow.data(1000, 100).ack(1099).ack(1099);
  EXPECT_EQ(flow.record().keep_alive_segments, 2u);
  EXPECT_EQ(flow.record().data_segments, 1u);
}

TEST(KeepAlive, OneByteIsDataButNotRetransmitted) {
  TcpFlow flow;
  flow.data(1000, 100).data(1099, 1);
  const Partial r = flow.record();
  EXPECT_EQ(r.keep_alive_segments, 1u);
  EXPECT_EQ(r.data_segments, 2u);
  EXPECT_EQ(r.payload_bytes, 101u);
  EXPECT_EQ(r.retransmitted_segments, 0u);
  EXPECT_EQ(r.out_of_order_segments, 0u);
}

TEST(KeepAlive, TwoBytesAreARetransmission) {
  TcpFlow flow;
  flow.data(1000, 100).data(1099, 2);
  EXPECT_EQ(flow.record().keep_alive_segments, 0u);
  EXPECT_EQ(flow.record().retransmitted_bytes, 1u);
}

TEST(KeepAlive, OneByteElsewhereIsARetransmission) {
  TcpFlow flow;
  flow.data(1000, 100).data(1098, 1);
  EXPECT_EQ(flow.record().keep_alive_segments, 0u);
  EXPECT_EQ(flow.record().retransmitted_segments, 1u);
}

TEST(KeepAlive, OrdinaryAcknowledgementIsNone) {
  TcpFlow flow;
  flow.data(1000, 100).ack(1100).ack(1098);
  EXPECT_EQ(flow.record().keep_alive_segments, 0u);
}

TEST(KeepAlive, FirstSegmentOfAFlowIsNone) {
  TcpFlow flow;
  flow.ack(0xffffffff);
  EXPECT_EQ(flow.record().keep_alive_segments, 0u);
}

TEST(KeepAlive, SynFinAndResetAreNone) {
  TcpFlow flow;
  flow.syn(1000).syn(1000).fin(1000).rst(1000);
  EXPECT_EQ(flow.record().keep_alive_segments, 0u);
}

TEST(KeepAlive, AfterASynItStandsOnItsNumber) {
  TcpFlow flow;
  flow.syn(1000).ack(1000);
  EXPECT_EQ(flow.record().keep_alive_segments, 1u);
}

TEST(KeepAlive, AfterAFinItStandsOnItsNumber) {
  TcpFlow flow;
  flow.fin(1000, 10).ack(1009).ack(1010);
  EXPECT_EQ(flow.record().keep_alive_segments, 1u);
}

TEST(KeepAlive, BelowABareAcknowledgementItLeavesAMissingByte) {
  TcpFlow flow;
  flow.ack(1000).ack(999);
  EXPECT_EQ(flow.record().keep_alive_segments, 1u);
  EXPECT_EQ(flow.missing(), 1);
}

TEST(KeepAlive, ItsByteIsSeenFromThenOn) {
  TcpFlow flow;
  flow.ack(1000).data(999, 1);
  EXPECT_EQ(flow.missing(), 0);
  flow.data(999, 2);
  EXPECT_EQ(flow.record().keep_alive_segments, 1u);
  EXPECT_EQ(flow.record().retransmitted_bytes, 1u);
}

TEST(KeepAlive, AcrossTheWrap) {
  TcpFlow flow;
  flow.data(0xffffff00, 0x100).ack(0xffffffff);
  EXPECT_EQ(flow.record().keep_alive_segments, 1u);
}

}  // namespace
}  // namespace warpmeter::test
