// How streams are put together, in words: values are within their bounds, and errors name the option that was given.
#include "app/cli/stream_words.h"

#include <gtest/gtest.h>

#include "command/reassemble/reassemble_options.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::thrown_text;

TEST(StreamWords, KeepTheBoundsOfStreams) {
  const auto with = [](std::string StreamWords::*word, const std::string& value) {
    StreamWords words;
    words.*word = value;
    ReassemblerOptions options;
    set_streams(words, 7 << 20, options);
    return options;
  };
  EXPECT_EQ(with(&StreamWords::block_size, "1K").block_size, 1024u);
  EXPECT_EQ(with(&StreamWords::block_size, "256K").block_size, 256u << 10);
  EXPECT_EQ(with(&StreamWords::timeout, "0").timeout_ns, 0);
  EXPECT_EQ(with(&StreamWords::timeout, "1.5s").timeout_ns, 1'500'000'000);
  EXPECT_EQ(with(&StreamWords::timeout, "256").timeout_ns, 256'000'000'000);
  EXPECT_EQ(with(&StreamWords::memory, "1M").memory, 1u << 20);
  EXPECT_EQ(with(&StreamWords::memory, "").memory, 7u << 20);
  EXPECT_EQ(with(&StreamWords::memory, "").gap_packets, 8u);
  EXPECT_EQ(with(&StreamWords::overlap, "").overlap, OverlapPolicy::first);
  EXPECT_EQ(with(&StreamWords::overlap, "linux").overlap, OverlapPolicy::linux_);
  EXPECT_EQ(with(&StreamWords::overlap, "windows").overlap, OverlapPolicy::windows);
  for (const char* const bad : {"0", "1023", "262145"}) {
    EXPECT_EQ(thrown_text([&] { with(&StreamWords::block_size, bad); }),
              std::string("--block-size ") + bad + ": 1K to 256K");
  }
  EXPECT_NE(thrown_text([&] { with(&StreamWords::timeout, "0.9"); }), "");
  EXPECT_NE(thrown_text([&] { with(&StreamWords::timeout, "257s"); }), "");
  EXPECT_NE(thrown_text([&] { with(&StreamWords::memory, "1023K"); }), "");
}

TEST(StreamWords, HaveGapPackets) {
  StreamWords words{.before = "--stream-"};
  words.gap_packets = 0;
  ReassemblerOptions options;
  set_streams(words, 1 << 20, options);
  EXPECT_EQ(options.gap_packets, 0u);
}

TEST(StreamWords, AreCalledAsTheCommandCallsThem) {
  StreamWords words{.before = "--stream-"};
  words.block_size = "1";
  ReassemblerOptions options;
  EXPECT_EQ(thrown_text([&] { set_streams(words, 1 << 20, options); }), "--stream-block-size 1: 1K to 256K");
  words = {.before = "--stream-"};
  words.timeout = "x";
  EXPECT_EQ(thrown_text([&] { set_streams(words, 1 << 20, options); }).substr(0, 17), "--stream-timeout ");
}

}  // namespace
}  // namespace warpmeter
