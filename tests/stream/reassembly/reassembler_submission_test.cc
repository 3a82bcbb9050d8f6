// When blocks leave, what they wait for, and what is said at the end.
#include <gtest/gtest.h>

#include "stream/reassembly/stream_talk.h"

namespace warpmeter {
namespace {

using test::StreamTalk;

ReassemblerOptions small() {
  ReassemblerOptions options;
  options.block_size = 1024;
  return options;
}

const std::string kHalf(512, 'h'), kBlock(1024, 'b');

TEST(ReassemblerSubmission, ABlockLeavesWithTheByteThatFillsIt) {
  StreamTalk talk(small());
  talk.one(kSyn, 9).two(kSyn | kAck, 19).one(kAck, 10, kHalf).two(kAck, 20, std::string_view(kHalf).substr(1));
  EXPECT_EQ(talk.log(), "opened 1>2\n");
  talk.two(kAck, 531, "x");
  EXPECT_EQ(talk.log(), "size 5: c0 512, s0 512\n");
  talk.one(kAck, 522, kBlock + kBlock);
  EXPECT_EQ(talk.log(), "size 6: c512 2048\n");
  EXPECT_EQ(talk.end_log(), "ended end\n");
  EXPECT_EQ(talk.report().max_buffered, 2048u);
}

// One segment that opens the gap and seven behind it wait; the next gives it up.
TEST(ReassemblerSubmission, AGapWaitsForEightPackets) {
  StreamTalk talk(small());
  talk.one(kSyn, 9).one(kAck, 10, "a").one(kAck, 12, kBlock);
  EXPECT_EQ(talk.log(), "opened 1>2\nsize 3: c0 \"a\"\n");
  for (std::uint32_t i = 0; i < 7; ++i) talk.two(kAck, 100 + i, "s");
  EXPECT_EQ(talk.log(), "");
  talk.two(kAck, 107, "s");
  EXPECT_EQ(talk.log(), "size 11: c2+1 1024, s0 \"ssssssss\"\n");
}

TEST(ReassemblerSubmission, AYoungerGapBehindOneGivenUpWaits) {
  StreamTalk talk(small());
  talk.one(kSyn, 9).one(kAck, 11, kBlock);
  for (std::uint32_t i = 0; i < 7; ++i) talk.two(kAck, 100 + i, "s");
  talk.two(kAck, 200, "y");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nsize 10: c1+1 1024, s0 \"sssssss\"\nend: s100+93 \"y\"\nended end\n");
}

TEST(ReassemblerSubmission, WhatTheCaptureCutIsNotWaitedFor) {
  StreamTalk talk(small());
  talk.one(kSyn, 9).one(kAck, 10, "abcd", 2).one(kAck, 14, kBlock);
  EXPECT_EQ(talk.log(), "opened 1>2\nsize 3: c0 \"ab\", c4+2 1024\n");
  talk.one(kAck, 1038, "ef", 1).one(kAck, 1041, kBlock);  // one byte more is missing
  EXPECT_EQ(talk.log(), "size 5: c1028 \"e\"\n");
}

TEST(ReassemblerSubmission, FinSubmitsWhatBothHaveSaid) {
  StreamTalk talk;
  talk.one(kSyn, 9).two(kSyn | kAck, 19).one(kAck, 10, "ask").two(kAck, 20, "well").one(kFin | kAck, 13);
  EXPECT_EQ(talk.log(), "opened 1>2\nfin 5: c0 \"ask\", s0 \"well\"\n");
  talk.two(kAck, 24, "yes").two(kFin | kAck, 27);
  EXPECT_EQ(talk.log(), "fin 7: s4 \"yes\"\n");
  EXPECT_EQ(talk.end_log(), "ended fin\n");
  EXPECT_TRUE(talk.client().complete && talk.client().finished);
  EXPECT_TRUE(talk.server().complete && talk.server().finished);
}

TEST(ReassemblerSubmission, AFinThatOvertookDataWaitsForIt) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kFin | kAck, 12, "cd");
  EXPECT_EQ(talk.log(), "opened 1>2\n");
  talk.one(kAck, 10, "ab");
  EXPECT_EQ(talk.log(), "fin 3: c0 \"abcd\"\n");
}

// It waits for none of the gaps that the capture made, also where these are known only later.
TEST(ReassemblerSubmission, AFinWaitsForNoGapThatTheCaptureMade) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kAck, 12, "cd").one(kAck, 16, "gh").one(kAck, 20, "kl").one(kFin | kAck, 22);
  talk.one(kAck, 13, "defgHI", 6).one(kAck, 19, "j", 1);
  EXPECT_EQ(talk.log(), "opened 1>2\n");
  talk.one(kAck, 18, "i", 1).one(kAck, 10, "a");
  EXPECT_EQ(talk.log(), "");
  talk.one(kAck, 11, "b");
  EXPECT_EQ(talk.log(), "fin 10: c0 \"abcd\", c6+2 \"gh\", c10+2 \"kl\"\n");
}

// A gap between bytes that wait, which has been filled, and one that what left has opened no more.
TEST(ReassemblerSubmission, AFinWaitsForGapsInAnyOrder) {
  StreamTalk talk;
  talk.one(kFin | kAck, 20, "kl").one(kAck, 12, "cd").one(kAck, 16, "gh").one(kAck, 14, "ef");
  EXPECT_EQ(talk.log(), "opened 1>2\nfin 1: c0 \"kl\"\n");
  EXPECT_EQ(talk.end_log(), "ended end\n");
  talk.other(3, kAck, 18, "ij").other(3, kAck, 14, "ef").other(3, kFin | kAck, 20).other(3, kAck, 10, "ab");
  talk.other(3, kAck, 16, "gh");
  EXPECT_EQ(talk.log(), "opened 3>2\n");
  talk.other(3, kAck, 12, "cd");
  EXPECT_EQ(talk.log(), "fin 10: c0 \"abcdefghij\"\n");
}

TEST(ReassemblerSubmission, OfAnUnknownStartTheFinAloneIsEnough) {
  StreamTalk talk;
  talk.one(kAck, 5, "x").two(kFin | kAck, 70);
  EXPECT_EQ(talk.end_log(), "opened 1>2\nfin 2: c0 \"x\"\nended end\n");
  EXPECT_TRUE(talk.server().finished);
  EXPECT_FALSE(talk.server().complete);
}

TEST(ReassemblerSubmission, TheCutBytesBeforeAFinAreALastGap) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kFin | kAck, 10, "abcd", 1);
  EXPECT_EQ(talk.end_log(), "opened 1>2\nfin 2: c0 \"abc\"\nended end\n");
  EXPECT_TRUE(talk.client().finished);
  EXPECT_FALSE(talk.client().complete);
  EXPECT_EQ(talk.gaps(0), (std::vector<StreamGap>{{3, 1}}));
}

TEST(ReassemblerSubmission, AResetSubmitsAllAndDataGoesOn) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kAck, 12, "c").two(kRst, 4711).one(kAck, 13, "d").one(kFin | kAck, 14).two(kFin | kAck, 70);
  EXPECT_EQ(talk.end_log(), "opened 1>2\nrst 3: c2+2 \"c\"\nfin 5: c3 \"d\"\nended rst\n");
  EXPECT_EQ(talk.gaps(0), (std::vector<StreamGap>{{0, 2}}));
}

TEST(ReassemblerSubmission, WhatAFinTellsIsMissingIsAGap) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kAck, 10, "ab").one(kFin | kAck, 20);
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"ab\"\nended end\n");
  EXPECT_EQ(talk.gaps(0), (std::vector<StreamGap>{{2, 8}}));
  EXPECT_EQ(talk.client().counters.gap_bytes, 8u);
  EXPECT_FALSE(talk.client().complete);
}

TEST(ReassemblerSubmission, WithoutMemoryTheOneThatRestsLongestLeavesFirst) {
  ReassemblerOptions options;
  options.memory = 1;
  StreamTalk talk(options);
  talk.one(kAck, 10, "ab");
  EXPECT_EQ(talk.log(), "opened 1>2\nmemory: c0 \"ab\"\nended memory\n");
  EXPECT_EQ(talk.counters().early_blocks, 1u);
  EXPECT_EQ(talk.counters().early_connections, 1u);
}

}  // namespace
}  // namespace warpmeter
