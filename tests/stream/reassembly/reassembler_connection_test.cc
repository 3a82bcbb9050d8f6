// Which segments are one connection: how it begins, and how silence or another SYN ends it.
#include <gtest/gtest.h>

#include "stream/reassembly/stream_talk.h"

namespace warpmeter {
namespace {

using test::kTalkSecond;
using test::StreamTalk;

constexpr std::int64_t kTimeout = 64 * kTalkSecond;

TEST(ReassemblerConnection, HasBothDirections) {
  StreamTalk talk;
  talk.one(kSyn, 10).two(kSyn | kAck, 20).one(kAck, 11, "ask").two(kAck, 21, "answer").one(kAck, 14, "thanks");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"ask\", s0 \"answer\", c3 \"thanks\"\nended end\n");
}

TEST(ReassemblerConnection, FromAnEndToItselfHasOneDirection) {
  StreamTalk talk;
  talk.alone(kSyn, 10).alone(kAck, 11, "a").alone(kAck, 12, "b");
  EXPECT_EQ(talk.end_log(), "opened 1>1\nend: c0 \"ab\"\nended end\n");
  EXPECT_EQ(talk.client().counters.segments, 3u);
  EXPECT_EQ(talk.server().counters.segments, 0u);
}

TEST(ReassemblerConnection, BeginsWithDataInTheMiddle) {
  StreamTalk talk;
  talk.two(kAck, 500, "tail").one(kAck, 90);
  EXPECT_EQ(talk.end_log(), "opened 2>1\nend: c0 \"tail\"\nended end\n");
  EXPECT_FALSE(talk.client().syn);
}

TEST(ReassemblerConnection, BeginsWithPayloadThatWasNotCaptured) {
  StreamTalk talk;
  talk.one(kAck, 500, "tail", 4);
  EXPECT_EQ(talk.end_log(), "opened 1>2\nended end\n");
  EXPECT_EQ(talk.client().counters.cut_bytes, 4u);
}

TEST(ReassemblerConnection, SynAckComesFromTheServer) {
  StreamTalk talk;
  talk.two(kSyn | kAck, 20).one(kAck, 11, "ask");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"ask\"\nended end\n");
}

TEST(ReassemblerConnection, WithoutOneBareSegmentsAndResetsAreStray) {
  StreamTalk talk;
  talk.one(kAck, 1).one(kFin | kAck, 1).one(kRst, 1).one(kRst | kAck, 1, "why").one(kRst | kSyn, 1);
  EXPECT_EQ(talk.end_log(), "");
  EXPECT_EQ(talk.counters().stray_segments, 5u);
  EXPECT_EQ(talk.counters().connections, 0u);
}

TEST(ReassemblerConnection, LivesThroughSilenceOfExactlyTheTimeout) {
  StreamTalk talk;
  talk.at(0).one(kAck, 1, "a").at(kTimeout).one(kAck, 2, "b").at(2 * kTimeout).two(kAck, 1);
  EXPECT_EQ(talk.end_log(3 * kTimeout), "opened 1>2\nend: c0 \"ab\"\nended end\n");
}

TEST(ReassemblerConnection, EndsAfterSilenceOfMoreThanTheTimeout) {
  StreamTalk talk;
  talk.at(0).one(kAck, 1, "a").at(kTimeout + 1).one(kAck, 2, "b");
  EXPECT_EQ(talk.log(), "opened 1>2\ntimeout: c0 \"a\"\nended timeout\nopened 1>2\n");
  EXPECT_EQ(talk.end_log(2 * kTimeout + 2), "timeout: c0 \"b\"\nended timeout\n");
}

TEST(ReassemblerConnection, EndsWithTimeAlone) {
  StreamTalk talk;
  talk.at(0).one(kAck, 1, "a").at(1).other(3, kAck, 1, "b");
  talk.log();
  EXPECT_TRUE(talk.pass(kTimeout, 10));
  EXPECT_EQ(talk.log(), "");
  EXPECT_TRUE(talk.pass(kTimeout + 1, 10));
  EXPECT_EQ(talk.log(), "timeout: c0 \"a\"\nended timeout\n");
  EXPECT_EQ(talk.end_log(0), "end: c0 \"b\"\nended end\n");
}

// From where it stopped; behind the last one, from the first again.
TEST(ReassemblerConnection, FindsWhoIsSilentInParts) {
  StreamTalk talk;
  talk.at(0).one(kAck, 1, "a").other(3, kAck, 1, "b").other(4, kAck, 1, "c");
  talk.log();
  EXPECT_FALSE(talk.pass(2 * kTimeout, 1));
  EXPECT_EQ(talk.log(), "timeout: c0 \"a\"\nended timeout\n");
  talk.at(2 * kTimeout).one(kAck, 2, "d");
  EXPECT_TRUE(talk.pass(2 * kTimeout, 2));
  EXPECT_EQ(talk.log(), "opened 1>2\ntimeout: c0 \"b\"\nended timeout\ntimeout: c0 \"c\"\nended timeout\n");
  EXPECT_TRUE(talk.pass(4 * kTimeout, 3));
  EXPECT_EQ(talk.log(), "timeout: c0 \"d\"\nended timeout\n");
}

TEST(ReassemblerConnection, WithoutTimeoutLivesForEver) {
  ReassemblerOptions options;
  options.timeout_ns = 0;
  StreamTalk talk(options);
  talk.at(0).one(kAck, 1, "a").at(1000 * kTimeout).one(kAck, 2, "b");
  EXPECT_TRUE(talk.pass(2000 * kTimeout, 10));
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"ab\"\nended end\n");
}

TEST(ReassemblerConnection, IsNotSilentWhereTimeRunsBack) {
  StreamTalk talk;
  talk.at(3 * kTimeout).one(kAck, 1, "a").at(0).one(kAck, 2, "b").at(4 * kTimeout).one(kAck, 3, "c");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abc\"\nended end\n");
}

TEST(ReassemblerConnection, AfterSilenceAnotherSynIsNoReuse) {
  StreamTalk talk;
  talk.at(0).one(kSyn, 10).one(kAck, 11, "a").at(kTimeout + 1).one(kSyn, 9000);
  EXPECT_EQ(talk.log(), "opened 1>2\ntimeout: c0 \"a\"\nended timeout\nopened 1>2\n");
}

// Of two rings, the server's being read first.
TEST(ReassemblerConnection, OfSeveralRingsTimesTellWhetherASynIsLate) {
  ReassemblerOptions options;
  const auto talk_to_end = [&options] {
    StreamTalk talk(options);
    talk.acknowledging(11).at(2).two(kSyn | kAck, 500).at(3).two(kAck, 501, "answer");
    talk.at(1).one(kSyn, 10).at(2).one(kAck, 11, "question");
    talk.at(4).one(kSyn, 9000).one(kAck, 9001, "next");
    return talk.end_log();
  };
  EXPECT_NE(talk_to_end().find("opened 1>2\nreuse 3: s0 \"answer\"\n"), std::string::npos);
  options.by_rings = true;
  EXPECT_EQ(
      talk_to_end(),
      "opened 1>2\nreuse 5: s0 \"answer\", c0 \"question\"\nended reuse\nopened 1>2\nend: c0 \"next\"\nended end\n");
}

TEST(ReassemblerConnection, EndsWithTheSynOfAnother) {
  StreamTalk talk;
  talk.one(kSyn, 10).one(kAck, 11, "a").one(kSyn, 10).one(kSyn, 9000).one(kAck, 9001, "b");
  EXPECT_EQ(talk.log(), "opened 1>2\nreuse 4: c0 \"a\"\nended reuse\nopened 1>2\n");
  EXPECT_EQ(talk.end_log(), "end: c0 \"b\"\nended end\n");
}

// A SYN with the ISN is one that was sent again, until the connection is over.
TEST(ReassemblerConnection, EndsWithItsOwnIsnAfterBothFins) {
  StreamTalk talk;
  talk.one(kSyn, 10).two(kSyn | kAck, 20).one(kAck | kFin, 11, "a").one(kSyn, 10).two(kAck | kFin, 21, "b");
  EXPECT_EQ(talk.log(), "opened 1>2\nfin 3: c0 \"a\"\nfin 5: s0 \"b\"\n");
  talk.one(kSyn, 10).two(kSyn | kAck, 20).one(kAck, 11, "c");
  EXPECT_EQ(talk.log(), "ended fin\nopened 1>2\n");
  EXPECT_EQ(talk.end_log(), "end: c0 \"c\"\nended end\n");
}

TEST(ReassemblerConnection, EndsWithItsOwnIsnAfterAnRstThatIsItsOwn) {
  struct Case {
    std::uint32_t rst;
    bool is_own;
  };
  for (const auto& [rst, is_own] : {Case{10, false}, {11, true}, {13, true}, {14, false}, {9, false}}) {
    StreamTalk talk;
    talk.one(kSyn, 10).two(kSyn | kAck, 20).one(kAck, 11, "ab").one(kRst, rst).one(kSyn, 10);
    EXPECT_EQ(talk.log(), std::string("opened 1>2\nrst 4: c0 \"ab\"\n") + (is_own ? "ended rst\nopened 1>2\n" : ""))
        << rst;
  }
  StreamTalk of_peer;  // which knows no ISN
  of_peer.one(kSyn, 10).one(kAck, 11, "a").two(kRst, 12345).one(kSyn, 10);
  EXPECT_EQ(of_peer.log(), "opened 1>2\nrst 3: c0 \"a\"\nended rst\nopened 1>2\n");
}

TEST(ReassemblerConnection, KnowsItsLateSynByTheLowestNumber) {
  StreamTalk talk;
  talk.one(kAck, 11, "ab").one(kSyn, 10);
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"ab\"\nended end\n");
  StreamTalk other;
  other.one(kAck, 11, "ab").one(kSyn, 11);
  EXPECT_EQ(other.log(), "opened 1>2\nreuse 2: c0 \"ab\"\nended reuse\nopened 1>2\n");
}

TEST(ReassemblerConnection, ReachesBelowWhatWaitsByItsLateSyn) {
  StreamTalk talk;
  talk.one(kAck, 40, "later").one(kAck, 11).one(kSyn, 10);
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c29+29 \"later\"\nended end\n");
}

TEST(ReassemblerConnection, LateSynIsBelowAllHoweverFarTheyReach) {
  StreamTalk talk;
  talk.one(kAck, 11, "a").one(kAck, 2'000'000'000, "b").one(kAck, 4'000'000'000, "c").one(kSyn, 10);
  EXPECT_EQ(talk.end_log(),
            "opened 1>2\nend: c0 \"a\", c1999999989+1999999988 \"b\", c3999999989+1999999999 \"c\"\nended end\n");
}

TEST(ReassemblerConnection, TakesAnAnswerToItsSynAlone) {
  StreamTalk talk;
  talk.one(kSyn, 10, "early").acknowledging(16).two(kSyn | kAck, 20).two(kAck, 21, "a");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"early\", s0 \"a\"\nended end\n");
  for (const std::uint32_t wrong : {10u, 17u}) {
    StreamTalk other;
    other.one(kSyn, 10, "early").acknowledging(wrong).two(kSyn | kAck, 20);
    EXPECT_EQ(other.log(), "opened 1>2\nreuse 2: c0 \"early\"\nended reuse\nopened 1>2\n");
  }
}

TEST(ReassemblerConnection, TakesASynOfThePeerBeforeAnyData) {
  StreamTalk talk;
  talk.one(kSyn, 10).two(kSyn, 20).two(kAck, 21, "both");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: s0 \"both\"\nended end\n");
  StreamTalk other;
  other.one(kAck, 11, "a").two(kSyn, 20);
  EXPECT_EQ(other.log(), "opened 1>2\nreuse 2: c0 \"a\"\nended reuse\nopened 2>1\n");
}

TEST(ReassemblerConnection, WithTwoAnswersBeginsWhereDataDoes) {
  StreamTalk talk;
  talk.one(kSyn, 10).acknowledging(11).two(kSyn | kAck, 20).two(kSyn | kAck, 7000).two(kSyn | kAck, 20);
  talk.two(kAck, 7005, "a").acknowledging(99).two(kSyn | kAck, 20);
  EXPECT_EQ(talk.log(), "opened 1>2\nreuse 6: s0 \"a\"\nended reuse\nopened 1>2\n");
  EXPECT_FALSE(talk.server().syn);
}

TEST(ReassemblerConnection, TakesNoSecondAnswerAfterData) {
  StreamTalk talk;
  talk.one(kSyn, 10).acknowledging(11).two(kSyn | kAck, 20).two(kAck, 21, "a").two(kSyn | kAck, 7000);
  EXPECT_EQ(talk.log(), "opened 1>2\nreuse 4: s0 \"a\"\nended reuse\nopened 1>2\n");
}

}  // namespace
}  // namespace warpmeter
