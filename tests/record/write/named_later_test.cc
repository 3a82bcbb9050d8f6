// Files that are complete before they have their names: which hidden ones there are, what they are called, and what is
// left behind.
#include "record/write/named_later.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/record_writer.h"
#include "record/write/held_writer.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "support/writers.h"

namespace warpmeter {
namespace {

namespace fs = std::filesystem;

TEST(NamedLater, AFileGetsItsNameAndTakesNoOthersPlace) {
  const test::ScratchFolder folder;
  for (const char* const text : {"first", "second", "third"}) {
    NamedLater later("0123");
    later.begin(7, ".living");
    const LaterName file = later.add(folder.file("flows.1"), ".csv");
    EXPECT_EQ(file.hidden, folder.file("flows.1.csv.0123.7.living.part"));
    test::write_file(file.hidden, std::string(text));
    EXPECT_EQ(later.take().size(), 1U);
    EXPECT_EQ(later.take().size(), 0U);
    later.keep();
    give_name(file);
    give_name(file);  // it has got it
  }
  EXPECT_EQ(test::file_text(folder.file("flows.1.csv")), "first");
  EXPECT_EQ(test::file_text(folder.file("flows.1-2.csv")), "second");
  EXPECT_EQ(test::file_text(folder.file("flows.1-3.csv")), "third");
  EXPECT_EQ(folder.entries(), 3U);
}

TEST(NamedLater, WhatNobodyKeepsIsRemoved) {
  const test::ScratchFolder folder;
  {
    NamedLater later("0123");
    later.begin(1, "");
    test::write_file(later.add(folder.file("a"), "").hidden, std::string("text"));
    later.take();
    test::write_file(later.add(folder.file("b"), "").hidden, std::string("text"));
    EXPECT_EQ(folder.entries(), 2U);
  }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(NamedLater, AFileThatIsNotThereCannotBeTaken) {
  const test::ScratchFolder folder;
  NamedLater later("0123");
  later.begin(1, "");
  later.add(folder.file("a"), "");
  EXPECT_EQ(test::thrown_text([&] { later.take(); }),
            folder.file("a.0123.1.part") + ": cannot be written: No such file or directory");
}

TEST(NamedLater, KnowsTheNamesOfAState) {
  EXPECT_TRUE(NamedLater::is_hidden_name("flows.1.csv.0123.7.part", "0123"));
  EXPECT_TRUE(NamedLater::is_hidden_name("flows.1.csv.0123.7.living.part", "0123"));
  EXPECT_FALSE(NamedLater::is_hidden_name("flows.1.csv.0124.7.part", "0123"));
  EXPECT_FALSE(NamedLater::is_hidden_name("flows.0123.csv", "0123"));
}

// Each flush() is a file, however short the interval was.
TEST(NamedLater, FilesOfAHeldWriterAreNamedByOthers) {
  const test::ScratchFolder folder;
  NamedLater later("0123");
  OutputOptions options;
  options.file = folder.file("flows.csv");
  options.tmpdir = folder.path();
  options.while_running = true;
  options.rotate_ns = 3'600'000'000'000;
  options.named_later = &later;
  HeldWriter writer(options, RecordLayout{}, [] { return std::int64_t{1'700'000'001'000'000'000}; });
  writer.begin();
  for (std::uint64_t number = 1; number <= 2; ++number) {
    later.begin(number, "");
    RecordStream stream(writer);
    stream.write(test::random_records(1, number).front(), nullptr);
    stream.flush();
    writer.flush();
    writer.flush();  // nothing waits
    const std::vector<LaterName> files = later.take();
    ASSERT_EQ(files.size(), 1U);
    EXPECT_EQ(files[0].before, folder.file("flows.20231114T221321Z"));
    EXPECT_EQ(files[0].behind, ".csv");
    EXPECT_TRUE(fs::exists(files[0].hidden));
  }
  writer.end();
  EXPECT_EQ(folder.entries(), 2U);
}

}  // namespace
}  // namespace warpmeter
