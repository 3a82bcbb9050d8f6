// What becomes of a byte: kept once, in its place, or counted as repeated, late or cut.
#include <gtest/gtest.h>

#include "stream/reassembly/stream_talk.h"

namespace warpmeter {
namespace {

using test::StreamTalk;

void begin(StreamTalk& talk) {
  talk.one(kSyn, 9).two(kSyn | kAck, 19);
  talk.log();
}

TEST(ReassemblerList, KeepsTheFirstCopyOfAByte) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kAck, 12, "CD").one(kAck, 10, "abxdef").one(kAck, 10, "abCDef");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abCDef\"\nended end\n");
  EXPECT_EQ(talk.client().counters.repeated_bytes, 2u + 6);
  EXPECT_EQ(talk.client().counters.repeated_segments, 1u);
  EXPECT_EQ(talk.client().counters.conflicting_bytes, 2u);
  EXPECT_EQ(talk.client().counters.out_of_order_segments, 0u);
}

TEST(ReassemblerList, ComparesNothingWithWhatHasLeft) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kAck | kFin, 10, "abc").one(kAck, 10, "xyz");
  talk.end_log();
  EXPECT_EQ(talk.client().counters.repeated_bytes, 3u);
  EXPECT_EQ(talk.client().counters.conflicting_bytes, 0u);
}

TEST(ReassemblerList, PutsWhatFillsAHoleBeforeWhatOvertookIt) {
  StreamTalk talk;
  talk.one(kSyn, 9).two(kSyn | kAck, 19).one(kAck, 12, "cd").two(kAck, 20, "X").one(kAck, 10, "ab").one(kAck, 14, "ef");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abcd\", s0 \"X\", c4 \"ef\"\nended end\n");
  EXPECT_EQ(talk.client().counters.out_of_order_segments, 1u);
}

TEST(ReassemblerList, SynTakesANumberBeforeItsPayload) {
  StreamTalk talk;
  talk.one(kSyn, 9, "abc").one(kAck, 13, "d");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abcd\"\nended end\n");
}

TEST(ReassemblerList, GoesOnWhereNumbersWrap) {
  StreamTalk talk;
  talk.one(kSyn, 0xfffffffd).one(kAck, 0xfffffffe, "abcd").one(kAck, 2, "ef");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abcdef\"\nended end\n");
}

TEST(ReassemblerList, HalfOfAllNumbersAwayIsBelow) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kAck, 10, "a").one(kAck, 11 + (1u << 31), "b").one(kAck, 10 + (1u << 31), "c");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"a\", c2147483648+2147483647 \"c\"\nended end\n");
  EXPECT_EQ(talk.client().counters.late_bytes, 1u);
}

TEST(ReassemblerList, BytesAtOrBelowTheIsnAreLate) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kAck, 8, "xyab");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"ab\"\nended end\n");
  EXPECT_EQ(talk.client().counters.late_bytes, 2u);
}

TEST(ReassemblerList, BytesOfAGapThatWasGivenUpAreLate) {
  StreamTalk talk;
  begin(talk);
  talk.one(kAck, 12, "cd").one(kRst, 0).one(kAck, 10, "abcde");
  EXPECT_EQ(talk.end_log(), "rst 4: c2+2 \"cd\"\nend: c4 \"e\"\nended rst\n");
  EXPECT_EQ(talk.client().counters.late_bytes, 2u);
  EXPECT_EQ(talk.client().counters.repeated_bytes, 2u);
  EXPECT_EQ(talk.client().counters.gap_bytes, 2u);
}

TEST(ReassemblerList, WithoutSynTheFirstByteThatLeavesIsAtZero) {
  StreamTalk talk;
  talk.one(kAck, 100, "cd").one(kAck, 98, "ab");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abcd\"\nended end\n");
}

TEST(ReassemblerList, ALaterCopyBringsWhatTheCaptureCut) {
  StreamTalk talk;
  talk.one(kSyn, 9).one(kAck, 10, "abcd", 2).one(kAck, 10, "abcd");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abcd\"\nended end\n");
  EXPECT_EQ(talk.client().counters.cut_bytes, 2u);
  EXPECT_EQ(talk.client().counters.repeated_bytes, 2u);
}

TEST(ReassemblerList, PayloadOfAResetIsNoData) {
  StreamTalk talk;
  begin(talk);
  talk.one(kRst, 10, "why").one(kAck, 10, "abc");
  EXPECT_EQ(talk.end_log(), "end: c0 \"abc\"\nended rst\n");
  EXPECT_EQ(talk.client().counters.data_segments, 1u);
  EXPECT_EQ(talk.client().counters.segments, 3u);
}

}  // namespace
}  // namespace warpmeter
