// connection_bytes and connection_ns (section 6, rule 8, and 10.11, 10.13 of the definitions).
#include <gtest/gtest.h>

#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

void expect_connection(const FlowRecord& r, std::int64_t bytes, std::int64_t ns) {
  EXPECT_EQ(r.flags & kHasConnection, kHasConnection);
  EXPECT_EQ(r.connection_bytes, bytes);
  EXPECT_EQ(r.connection_ns, ns);
}

void expect_none(const FlowRecord& r) {
  EXPECT_EQ(r.flags & kHasConnection, 0);
  EXPECT_EQ(r.connection_bytes, 0);
  EXPECT_EQ(r.connection_ns, 0);
}

TEST(Connection, PayloadBetweenSynAndFin) {
  TcpFlow flow;
  flow.at(10).syn(999).at(20).data(1000, 100).at(35).fin(1100);
  expect_connection(flow.record(), 100, 25);
}

TEST(Connection, WithoutPayloadIsZero) {
  TcpFlow flow;
  flow.syn(999).fin(1000);
  expect_connection(flow.record(), 0, 0);
}

TEST(Connection, FinCountsThePayloadItCarries) {
  TcpFlow flow;
  flow.syn(999).fin(1000, 30);
  expect_connection(flow.record(), 30, 0);
}

TEST(Connection, SynPayloadCounts) {
  TcpFlow flow;
  flow.syn(999, 20).fin(1020);
  expect_connection(flow.record(), 20, 0);
}

TEST(Connection, OneSegmentMayBeSynAndFin) {
  TcpFlow flow;
  flow.segment(kSyn | kFin, 999, 7);
  expect_connection(flow.record(), 7, 0);
}

TEST(Connection, MissingBytesCountAllTheSame) {
  TcpFlow flow;
  flow.syn(999).fin(6000);
  expect_connection(flow.record(), 5000, 0);
}

TEST(Connection, AcrossTheWrap) {
  TcpFlow flow;
  flow.syn(0xffffffef).data(0xfffffff0, 32).fin(16);
  expect_connection(flow.record(), 32, 0);
}

TEST(Connection, FirstSynAndFirstFinTellTheTime) {
  TcpFlow flow;
  flow.at(10).syn(999).at(12).syn(999).at(20).fin(1000).at(90).fin(1000);
  expect_connection(flow.record(), 0, 10);
}

TEST(Connection, TimeIsAbsolute) {
  TcpFlow flow;
  flow.at(50).fin(1000).at(20).syn(999);
  expect_connection(flow.record(), 0, 30);
}

TEST(Connection, NoneWithoutSyn) { expect_none(TcpFlow().data(1000, 100).fin(1100).record()); }

TEST(Connection, NoneWithoutFin) { expect_none(TcpFlow().syn(999).data(1000, 100).record()); }

TEST(Connection, NoneWithTwoFinNumbers) { expect_none(TcpFlow().syn(999).fin(1000).fin(1001).record()); }

TEST(Connection, RepeatedFinHasOneNumber) {
  TcpFlow flow;
  flow.syn(999).data(1000, 10).fin(1010).fin(1000, 10).data(1010, 10).fin(1010);
  expect_connection(flow.record(), 10, 0);
}

TEST(Connection, NoneWhereFinIsBelowSyn) { expect_none(TcpFlow().syn(1000).fin(1000).record()); }

TEST(Connection, ResetWithSynOrFinDoesNotCount) {
  expect_none(TcpFlow().segment(kSyn | kRst, 999, 0).fin(1000).record());
  expect_none(TcpFlow().syn(999).segment(kFin | kRst, 1000, 0).record());
  expect_connection(TcpFlow().syn(999).fin(1000).segment(kFin | kRst, 1500, 0).record(), 0, 0);
}

TEST(Connection, ReportedByThePartWithTheFirstFin) {
  TcpFlow flow;
  flow.at(10).syn(999).at(20).data(1000, 10);
  expect_none(flow.record());
  flow.cut().at(30).fin(1010);
  expect_connection(flow.record(), 10, 20);
  flow.cut().at(40).fin(1010);
  expect_none(flow.record());
}

// Counters that are spilled end no part: what comes last says whether there was one FIN number.
TEST(Connection, ZeroedCountersLeaveItToTheEndOfThePart) {
  TcpFlow flow;
  flow.at(10).syn(999).at(30).fin(1000);
  zero_counters(flow.state);
  EXPECT_EQ(flow.record().fin_count, 0u);
  expect_connection(flow.at(40).ack(1001).record(), 0, 20);
  expect_none(flow.fin(2000).record());
}

TEST(Connection, SynMayBelongToAnEarlierPart) {
  TcpFlow flow;
  flow.syn(999).cut().data(1000, 5).fin(1005);
  expect_connection(flow.record(), 5, 0);
  EXPECT_EQ(flow.record().syn_count, 0u);
}

TEST(Connection, SecondFinNumberInTheSamePartSpoilsIt) {
  TcpFlow flow;
  flow.syn(999).cut().fin(1000).fin(2000);
  expect_none(flow.record());
}

}  // namespace
}  // namespace warpmeter::test
