// Missing bytes (section 6, rule 6 of the definitions).
#include <gtest/gtest.h>

#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

TEST(Missing, NothingInOrder) { EXPECT_EQ(TcpFlow().syn(999).data(1000, 100).fin(1100).missing(), 0); }

TEST(Missing, HoleBetweenSegments) { EXPECT_EQ(TcpFlow().data(1000, 100).data(1150, 100).missing(), 50); }

TEST(Missing, SeveralHolesAddUp) { EXPECT_EQ(TcpFlow().data(1000, 100).data(1150, 50).data(1201, 9).missing(), 51); }

TEST(Missing, BareAcknowledgementBeyondTheEnd) { EXPECT_EQ(TcpFlow().data(1000, 100).ack(1300).missing(), 200); }

TEST(Missing, BareAcknowledgementBelowTheLowest) { EXPECT_EQ(TcpFlow().data(1000, 100).ack(700).missing(), 300); }

TEST(Missing, TwoBareAcknowledgementsSpanWhatNobodySent) { EXPECT_EQ(TcpFlow().ack(1000).ack(1500).missing(), 500); }

TEST(Missing, BareAcknowledgementInsideAHoleFillsNothing) {
  EXPECT_EQ(TcpFlow().data(1000, 100).data(1200, 100).ack(1150).missing(), 100);
}

TEST(Missing, TouchingHolesBecomeOne) {
  TcpFlow flow;
  flow.data(1000, 100).ack(1200).ack(1300);
  EXPECT_EQ(flow.missing(), 200);
  EXPECT_EQ(flow.data(1100, 200).missing(), 0);
}

TEST(Missing, PartlyFilledHole) {
  TcpFlow flow;
  flow.data(1000, 100).data(1300, 100).data(1150, 100);
  EXPECT_EQ(flow.missing(), 100);
  EXPECT_EQ(flow.data(1100, 60).missing(), 50);
  EXPECT_EQ(flow.data(1240, 100).missing(), 0);
}

TEST(Missing, SynWithoutTheDataThatFollows) { EXPECT_EQ(TcpFlow().syn(999).data(1100, 100).missing(), 100); }

TEST(Missing, SynOutOfOrderFillsItsOwnNumber) {
  EXPECT_EQ(TcpFlow().data(1100, 100).syn(999).missing(), 100);
  EXPECT_EQ(TcpFlow().data(1000, 100).syn(999).missing(), 0);
}

TEST(Missing, FinFillsItsOwnNumber) {
  TcpFlow flow;
  flow.data(1000, 100).ack(1101);
  EXPECT_EQ(flow.missing(), 1);
  EXPECT_EQ(flow.fin(1100).missing(), 0);
}

TEST(Missing, ResetsDoNotMoveTheEnds) {
  EXPECT_EQ(TcpFlow().data(1000, 100).rst(5000).rst(10).rst(1200, 50).missing(), 0);
}

TEST(Missing, ResetsDoNotFill) { EXPECT_EQ(TcpFlow().data(1000, 100).data(1200, 100).rst(1100, 100).missing(), 100); }

TEST(Missing, HolesAreHandedOnAtTheActiveTimeout) {
  TcpFlow flow;
  flow.data(1000, 100).data(1200, 100).cut();
  EXPECT_EQ(flow.data(1300, 100).missing(), 100);
}

TEST(Missing, LowestIsHandedOnAtTheActiveTimeout) {
  TcpFlow flow;
  flow.data(1000, 100).cut().data(1100, 100).ack(900);
  EXPECT_EQ(flow.missing(), 100);
}

}  // namespace
}  // namespace warpmeter::test
