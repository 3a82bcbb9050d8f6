// What an output of reassemble is follows from its name, and so does which options mean something. How streams are put
// together, in words: values are within their bounds, and errors name the option that was given.
#include "app/cli/command_words.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>

#include "stream/reassembly/reassembler_options.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::thrown_text;

ReassembleWords words_of(std::vector<std::string> outputs) {
  ReassembleWords words;
  words.inputs_and_filter = {"-"};
  words.outputs = std::move(outputs);
  return words;
}

StreamForm form_of(const std::string& output, std::optional<StreamForm> format = {}) {
  ReassembleWords words = words_of({output});
  words.format = format;
  return reassemble_options_of(words).outputs.front().form;
}

TEST(ReassembleWords, TakeOutputsForWhatTheirNamesSay) {
  const test::ScratchFolder scratch;
  EXPECT_EQ(form_of("a.json"), StreamForm::json);
  EXPECT_EQ(form_of("x/a.streams"), StreamForm::records);
  EXPECT_EQ(form_of("a"), StreamForm::files);
  EXPECT_EQ(form_of("a.json/"), StreamForm::files);
  EXPECT_EQ(form_of("A.JSON"), StreamForm::json);
  EXPECT_EQ(form_of("a.Streams"), StreamForm::records);
  EXPECT_EQ(form_of("a.csv/"), StreamForm::files);
  for (const char* const folder : {"day.2026-01-31", ".a", "..", "a.longending", "a.json.d/", "b.c/a", "a."}) {
    EXPECT_EQ(form_of(folder), StreamForm::files) << folder;
  }
  EXPECT_EQ(form_of(scratch.path()), StreamForm::files);
  EXPECT_EQ(form_of("/dev/null"), StreamForm::records);
  EXPECT_EQ(form_of("/dev/null", StreamForm::json), StreamForm::json);
  for (const char* const name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    EXPECT_EQ(form_of(name, StreamForm::json), StreamForm::json) << name;
    EXPECT_TRUE(isatty(STDOUT_FILENO) || form_of(name) == StreamForm::records) << name;
  }
  for (const char* const packed : {".gz", ".zst", ".lz4"}) {
    if (!thrown_text([&] { form_of(std::string("a.json") + packed); }).empty()) continue;  // not in this build
    EXPECT_EQ(form_of(std::string("a.json") + packed), StreamForm::json);
    EXPECT_EQ(form_of(std::string("a.streams") + packed), StreamForm::records);
    EXPECT_EQ(form_of("a.JSON.GZ"), StreamForm::json);
    EXPECT_EQ(thrown_text([&] { form_of(std::string("a") + packed); }),
              std::string("-o a") + packed + ": packed is .json or .streams, such as x.streams.zst");
  }
}

TEST(ReassembleWords, RefuseTheEndingOfAnotherFormat) {
  for (const std::string name : {"out.csv", "x/out.pcap", "out.jsn", "out.1", "a.json.d"}) {
    EXPECT_EQ(thrown_text([&] { form_of(name); }),
              "-o " + name + ": which form? Names end in .json or .streams, then perhaps .gz, .zst or .lz4; -o " +
                  name + "/ is a folder of files");
  }
  const test::ScratchFolder scratch;
  std::filesystem::create_directory(scratch.file("out.d"));
  EXPECT_EQ(form_of(scratch.file("out.d")), StreamForm::files);
}

TEST(ReassembleWords, RefuseWhatIsForAnotherOutput) {
  const auto refused = [](const std::string& output, auto ReassembleWords::*word, auto value) {
    ReassembleWords words = words_of({output});
    words.*word = value;
    return !thrown_text([&] { reassemble_options_of(words); }).empty();
  };
  EXPECT_TRUE(refused("a.json", &ReassembleWords::format, StreamForm::json));
  EXPECT_FALSE(refused("/dev/null", &ReassembleWords::format, StreamForm::json));
  EXPECT_TRUE(refused("a.streams", &ReassembleWords::payload, StreamPayload::none));
  EXPECT_FALSE(refused("a.json", &ReassembleWords::payload, StreamPayload::none));
  EXPECT_TRUE(refused("a.json", &ReassembleWords::files, StreamFileOf::connection));
  EXPECT_FALSE(refused("a", &ReassembleWords::files, StreamFileOf::connection));
  EXPECT_TRUE(refused("a.json", &ReassembleWords::names, StreamFileNames::numbered));
  EXPECT_FALSE(refused("a", &ReassembleWords::names, StreamFileNames::numbered));
}

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
