// Streams that point into frames: until these have to go, and never afterwards.
#include <gtest/gtest.h>

#include <string>

#include "stream/reassembly/stream_talk.h"

namespace warpmeter {
namespace {

using test::StreamTalk;

ReassemblerOptions spans() {
  ReassemblerOptions options;
  options.block_size = 1024;
  options.spans = true;
  return options;
}

TEST(ReassemblerSpans, AreInOrder) {
  StreamTalk talk(spans());
  talk.one(kSyn, 9).two(kSyn | kAck, 19).one(kAck, 10, "ab").one(kAck, 12, "cd").two(kAck, 20, "X").one(kAck, 14, "e");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abcd\", s0 \"X\", c4 \"e\"\nended end\n");
}

TEST(ReassemblerSpans, AreCopiedBeforeTheirFramesGo) {
  StreamTalk talk(spans());
  talk.one(kSyn, 9).two(kSyn | kAck, 19).one(kAck, 10, "ab").two(kAck, 20, "X").one(kAck, 12, "cd").detach();
  talk.one(kAck, 14, "e").two(kAck, 21, "Y").detach().detach();
  talk.one(kAck, 15, "f");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"ab\", s0 \"X\", c2 \"cde\", s1 \"Y\", c5 \"f\"\nended end\n");
}

TEST(ReassemblerSpans, BehindAGapToo) {
  StreamTalk talk(spans());
  talk.one(kSyn, 9).two(kSyn | kAck, 19).one(kAck, 10, "ab").one(kAck, 14, "ef").detach();
  talk.one(kAck, 16, "gh").detach();
  talk.one(kAck, 12, "cd");
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abcdefgh\"\nended end\n");
}

// What has come into the in-order buffer from behind a gap lies where it was held.
TEST(ReassemblerSpans, OfBothPartsOfAList) {
  StreamTalk talk(spans());
  talk.one(kSyn, 9).two(kSyn | kAck, 19).one(kAck, 12, "cd").detach();
  talk.one(kAck, 10, "ab").one(kAck, 18, "ij").detach();
  talk.one(kAck, 10, "abXd").one(kAck, 14, "ef").detach();
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"abcdef\", c8+2 \"ij\"\nended end\n");
  EXPECT_EQ(talk.client().counters.conflicting_bytes, 1u);
}

TEST(ReassemblerSpans, OfABlockThatHasLeftNothingIsCopied) {
  StreamTalk talk(spans());
  talk.one(kSyn, 9).one(kAck, 10, std::string(1024, 'a')).detach();
  talk.one(kAck, 1034, "b").detach();
  EXPECT_EQ(talk.end_log(), "opened 1>2\nsize 2: c0 1024\nend: c1024 \"b\"\nended end\n");
}

// Much is held, and more comes to it: once that has no room, in a larger buffer.
TEST(ReassemblerSpans, OfManyFramesThatGo) {
  StreamTalk talk(spans());
  talk.one(kSyn, 9).two(kSyn | kAck, 19);
  talk.log();
  std::string all;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const std::string text = std::to_string(i % 10) + std::string(i % 7, 'x');
    talk.one(kAck, static_cast<std::uint32_t>(10 + all.size()), text);
    all += text;
    if (i % 3 == 0) talk.detach();
  }
  EXPECT_EQ(talk.end_log(), "end: c0 " + std::to_string(all.size()) + "\nended end\n");
  EXPECT_EQ(talk.last_bytes(), all);
}

// Of a trace after another one nothing points into frames that have gone either.
TEST(ReassemblerSpans, EndWithTheTrace) {
  StreamTalk talk(spans());
  talk.one(kSyn, 9).one(kAck, 10, "ab").one(kAck, 12, "cd");
  talk.end_log();
  talk.restart().one(kSyn, 9).one(kAck, 10, "ef").detach();
  EXPECT_EQ(talk.end_log(), "opened 1>2\nend: c0 \"ef\"\nended end\n");
}

TEST(ReassemblerSpans, MemoryIsThatOfWhatWaits) {
  const auto log = [](bool detached) {
    ReassemblerOptions options = spans();
    options.memory = 8000;
    StreamTalk talk(options);
    talk.one(kSyn, 9);
    for (std::uint32_t i = 0; i < 100; ++i) {
      talk.one(kAck, 10 + 200 * i, std::string(100, 'a'));
      if (detached) talk.detach();
    }
    return talk.end_log();
  };
  EXPECT_EQ(log(true), log(false));
}

}  // namespace
}  // namespace warpmeter
