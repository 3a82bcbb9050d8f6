// What an output of reassemble is follows from its name, and so does which options mean something.
#include "app/cli/command_words.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

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

}  // namespace
}  // namespace warpmeter
