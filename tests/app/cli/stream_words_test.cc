// How streams are put together, in words: values are within their bounds, and errors name the option that was given.
#include "app/cli/stream_words.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "stream/reassembly/reassembler_options.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::thrown_text;

ReassemblerOptions parsed(const std::string& words, const std::string& before = "--") {
  CLI::App app;
  ReassemblerOptions options;
  add_stream_rules(app, before, options);
  add_stream_memory(app, before, "what there is", options);
  app.parse(words);
  return options;
}

TEST(StreamWords, KeepTheBoundsOfStreams) {
  EXPECT_EQ(parsed("--block-size 1K").block_size, 1024u);
  EXPECT_EQ(parsed("--block-size 256K").block_size, 256u << 10);
  EXPECT_EQ(parsed("--timeout 0").timeout_ns, 0);
  EXPECT_EQ(parsed("--timeout 1.5s").timeout_ns, 1'500'000'000);
  EXPECT_EQ(parsed("--timeout 256").timeout_ns, 256'000'000'000);
  EXPECT_EQ(parsed("--memory 1M").memory, 1u << 20);
  EXPECT_EQ(parsed("--gap-packets 0").gap_packets, 0u);
  EXPECT_EQ(parsed("--overlap linux").overlap, OverlapPolicy::linux_);
  EXPECT_EQ(parsed("--overlap windows").overlap, OverlapPolicy::windows);
  for (const char* const bad : {"0", "1023", "262145"}) {
    EXPECT_EQ(thrown_text([&] { parsed(std::string("--block-size ") + bad); }),
              std::string("--block-size ") + bad + ": 1K to 256K");
  }
  for (const char* const bad : {"0.9", "257s"}) {
    EXPECT_EQ(thrown_text([&] { parsed(std::string("--timeout ") + bad); }),
              std::string("--timeout ") + bad + ": 1s to 256s, or 0 for never");
  }
  EXPECT_EQ(thrown_text([&] { parsed("--memory 1023K"); }), "--memory: at least 1M");
}

TEST(StreamWords, LeaveWhatIsNotSaid) {
  const ReassemblerOptions options = parsed(""), usual;
  EXPECT_EQ(options.block_size, usual.block_size);
  EXPECT_EQ(options.timeout_ns, usual.timeout_ns);
  EXPECT_EQ(options.gap_packets, usual.gap_packets);
  EXPECT_EQ(options.overlap, usual.overlap);
  EXPECT_EQ(options.memory, usual.memory);
}

TEST(StreamWords, AreCalledAsTheCommandCallsThem) {
  EXPECT_EQ(parsed("--stream-gap-packets 3", "--stream-").gap_packets, 3u);
  EXPECT_EQ(thrown_text([&] { parsed("--stream-block-size 1", "--stream-"); }), "--stream-block-size 1: 1K to 256K");
  EXPECT_EQ(thrown_text([&] { parsed("--stream-timeout x", "--stream-"); }).substr(0, 17), "--stream-timeout ");
}

}  // namespace
}  // namespace warpmeter
