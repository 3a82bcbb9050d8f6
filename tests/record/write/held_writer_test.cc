// Files of records that leave while more come: which file a record goes to by the clock, in which order, and that no
// file takes another's place.
#include "record/write/held_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/extra_columns.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "support/writers.h"

namespace warpmeter {
namespace {

using test::file_text;
using test::ScratchFolder;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStart = 1'700'000'001 * kSecond;  // 20231114T221321Z

class HeldWriterTest : public testing::Test {
 protected:
  HeldWriterTest() {
    std::filesystem::create_directory(folder_.file("out"));
    options_.file = folder_.file("out/flows.csv");
    options_.tmpdir = folder_.path();
    options_.waiting_memory = 100 * sizeof(Partial);
    options_.while_running = true;
  }
  std::unique_ptr<HeldWriter> writer() {
    auto made = std::make_unique<HeldWriter>(options_, RecordLayout{}, [this] { return now_ns_; });
    made->begin();
    return made;
  }
  static void append(RecordWriter& writer, const std::vector<FlowRecord>& records) {
    RecordStream stream(writer);
    for (const FlowRecord& record : records) stream.write(record, nullptr);
    stream.flush();
  }
  // As one file holds them, in output order.
  std::string text_of(std::vector<FlowRecord> records) const {
    std::ranges::sort(records, [](const FlowRecord& a, const FlowRecord& b) { return output_order(a, b) < 0; });
    OutputOptions one;
    one.file = folder_.file("one.csv");
    FileWriter writer(one.file, one, RecordLayout{});
    test::write_all(writer, records);
    return file_text(one.file);
  }
  std::string out(const std::string& name) const { return file_text(folder_.file("out/" + name)); }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file("out"))) {
      if (entry.path().extension() == ".csv") names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
  }

  const ScratchFolder folder_;
  OutputOptions options_;
  std::int64_t now_ns_ = kStart + kSecond / 2;
};

std::vector<FlowRecord> some(std::size_t count, unsigned seed) {
  const auto records = test::random_records(count, seed);
  return {records.begin(), records.end()};
}

// Most of them go through run files.
TEST_F(HeldWriterTest, KeepsWhatWasNotedOfEachFlow) {
  const RecordLayout layout{.extra = test::annotation_columns()};
  HeldWriter held(options_, layout, [this] { return now_ns_; });
  held.begin();
  RecordStream stream(held);
  constexpr std::uint64_t kFlowsHeld = 500;
  for (std::uint64_t i = 1; i <= kFlowsHeld; ++i) {
    const FlowRecord record = test::test_record(static_cast<std::uint32_t>(kFlowsHeld - i), 7, 9, i);
    const std::string text = std::string(i % 300, 'x') + std::to_string(record.arrival);
    stream.write_annotated(
        record, nullptr, test::annotations_of({{i, test::kTags, text}, {i, test::kTags, "t"}, {i, test::kTitle, "T"}}));
  }
  stream.flush();
  held.end();
  const std::string text = out("flows.csv");
  std::size_t at = text.find('\n') + 1;
  for (std::uint64_t i = kFlowsHeld; i > 0; --i) {
    const std::string line = text.substr(at, text.find('\n', at) - at);
    EXPECT_TRUE(line.ends_with("," + std::string(i % 300, 'x') + std::to_string(i) + ";t,T")) << line;
    at += line.size() + 1;
  }
  EXPECT_EQ(at, text.size());
}

TEST_F(HeldWriterTest, OneFileIsCompleteAndInOrderAtTheEnd) {
  const auto first = some(300, 1), second = some(40, 2);
  const auto held = writer();
  append(*held, first);
  held->flush();
  append(*held, second);
  EXPECT_TRUE(names().empty());
  held->end();
  auto all = first;
  all.insert(all.end(), second.begin(), second.end());
  EXPECT_EQ(names(), std::vector<std::string>{"flows.csv"});
  EXPECT_EQ(out("flows.csv"), text_of(all));
}

TEST_F(HeldWriterTest, NoRecordsAreAFileWithoutRows) {
  writer()->end();
  EXPECT_EQ(out("flows.csv"), text_of({}));
}

TEST_F(HeldWriterTest, AnIntervalsFileIsThereOnceItIsOver) {
  options_.rotate_ns = 10 * kSecond;  // the first began a second before the capture
  const auto first = some(300, 1), second = some(40, 2), third = some(3, 3);
  const auto held = writer();
  append(*held, first);
  held->flush();
  EXPECT_TRUE(names().empty());
  now_ns_ = kStart + 8 * kSecond;
  append(*held, second);
  held->flush();
  EXPECT_TRUE(names().empty());
  now_ns_ = kStart + 9 * kSecond;
  held->flush();
  EXPECT_EQ(names(), std::vector<std::string>{"flows.20231114T221321Z.csv"});
  auto both = first;
  both.insert(both.end(), second.begin(), second.end());
  EXPECT_EQ(out("flows.20231114T221321Z.csv"), text_of(both));
  now_ns_ += 30 * kSecond;  // nothing for two intervals
  held->flush();
  append(*held, third);
  held->end();
  EXPECT_EQ(names(), (std::vector<std::string>{"flows.20231114T221321Z.csv", "flows.20231114T221400Z.csv"}));
  EXPECT_EQ(out("flows.20231114T221400Z.csv"), text_of(third));
}

TEST_F(HeldWriterTest, WhoAsksForItGetsTheFileOfAnIntervalThatGoesOn) {
  options_.rotate_ns = 10 * kSecond;
  const auto held = writer();
  held->rotate();  // nothing waits
  EXPECT_TRUE(names().empty());
  append(*held, some(3, 1));
  held->rotate();
  EXPECT_EQ(out("flows.20231114T221321Z.csv"), text_of(some(3, 1)));
  append(*held, some(2, 2));
  held->flush();
  EXPECT_EQ(names().size(), 1u);
  held->end();
  EXPECT_EQ(out("flows.20231114T221321Z-2.csv"), text_of(some(2, 2)));
}

TEST_F(HeldWriterTest, WithoutIntervalsNoFileIsCompleteBeforeTheEnd) {
  const auto held = writer();
  append(*held, some(3, 1));
  held->rotate();
  EXPECT_TRUE(names().empty());
  held->end();
  EXPECT_EQ(out("flows.csv"), text_of(some(3, 1)));
}

TEST_F(HeldWriterTest, NoFileTakesAnothersPlace) {
  options_.rotate_ns = 10 * kSecond;
  for (unsigned run = 1; run <= 3; ++run) {
    const auto held = writer();
    append(*held, some(run, run));
    held->end();
  }
  EXPECT_EQ(names(), (std::vector<std::string>{"flows.20231114T221321Z-2.csv", "flows.20231114T221321Z-3.csv",
                                               "flows.20231114T221321Z.csv"}));
  EXPECT_EQ(out("flows.20231114T221321Z.csv"), text_of(some(1, 1)));
  EXPECT_EQ(out("flows.20231114T221321Z-3.csv"), text_of(some(3, 3)));
}

TEST_F(HeldWriterTest, AClockThatIsSetBackBeginsAnotherFile) {
  options_.rotate_ns = 10 * kSecond;
  const auto held = writer();
  append(*held, some(1, 1));
  now_ns_ -= 3600 * kSecond;
  held->flush();
  EXPECT_EQ(names().size(), 1u);
  append(*held, some(2, 2));
  held->end();
  EXPECT_EQ(names().size(), 2u);
}

class LosingHeldWriterTest : public HeldWriterTest {
 protected:
  LosingHeldWriterTest() { options_.rotate_ns = 10 * kSecond; }
  std::unique_ptr<HeldWriter> writer() {
    auto made = std::make_unique<HeldWriter>(
        options_, RecordLayout{}, [this] { return now_ns_; }, &loss_);
    made->begin();
    return made;
  }
  void next_interval(HeldWriter& held) {
    now_ns_ += 10 * kSecond;
    held.flush();
  }
  void hide_folder() const { std::filesystem::rename(folder_.file("out"), folder_.file("elsewhere")); }
  void show_folder() const { std::filesystem::rename(folder_.file("elsewhere"), folder_.file("out")); }

  OutputLoss loss_{"flows.csv", true};
};

TEST_F(LosingHeldWriterTest, AnIntervalIsLostWhereThereIsNoFolderAndTheNextIsNot) {
  const auto held = writer();
  append(*held, some(300, 1));
  hide_folder();
  next_interval(*held);
  append(*held, some(7, 2));
  next_interval(*held);
  EXPECT_EQ(loss_.counts().lost.records, 307u);
  EXPECT_EQ(loss_.counts().lost.packets, 307u);
  EXPECT_EQ(loss_.counts().files, 2u);
  EXPECT_TRUE(loss_.counts().is_failing);
  EXPECT_NE(loss_.counts().problem.find("No such file or directory"), std::string::npos);
  show_folder();
  append(*held, some(5, 3));
  next_interval(*held);
  held->end();
  EXPECT_FALSE(loss_.counts().is_failing);
  EXPECT_EQ(loss_.counts().lost.records, 307u);
  ASSERT_EQ(names().size(), 1u);
  EXPECT_EQ(out(names()[0]), text_of(some(5, 3)));
}

// Its records are in memory still: several files have them.
TEST_F(LosingHeldWriterTest, WhatHasNoRoomToWaitIsWrittenBeforeTheIntervalIsOver) {
  options_.tmpdir = folder_.file("nowhere");
  const auto held = writer();
  append(*held, some(256, 1));
  append(*held, some(256, 2));
  append(*held, some(5, 3));
  held->end();
  EXPECT_EQ(out("flows.20231114T221321Z.csv"), text_of(some(256, 1)));
  EXPECT_EQ(out("flows.20231114T221321Z-2.csv"), text_of(some(256, 2)));
  EXPECT_EQ(out("flows.20231114T221321Z-3.csv"), text_of(some(5, 3)));
  EXPECT_EQ(loss_.counts().lost.records, 0u);
}

TEST_F(LosingHeldWriterTest, OfOneFileWhatHasNoRoomToWaitIsLost) {
  options_.rotate_ns = 0;
  options_.tmpdir = folder_.file("nowhere");
  const auto held = writer();
  append(*held, some(256, 1));
  append(*held, some(300, 2));
  held->end();
  EXPECT_EQ(out("flows.csv"), text_of(some(256, 1)));
  EXPECT_EQ(loss_.counts().lost.records, 300u);
  EXPECT_NE(loss_.counts().problem.find("nowhere: cannot create a run file"), std::string::npos);
}

TEST_F(HeldWriterTest, WhatThrewIsTriedAgainByTheNextFlush) {
  NamedLater names("0123");
  options_.rotate_ns = 10 * kSecond;
  options_.named_later = &names;
  names.begin(1, "");
  const auto held = writer();
  append(*held, some(300, 1));
  std::filesystem::rename(folder_.file("out"), folder_.file("elsewhere"));
  for (int tries = 0; tries < 2; ++tries) EXPECT_NE(test::thrown_text([&] { held->flush(); }), "");
  std::filesystem::rename(folder_.file("elsewhere"), folder_.file("out"));
  held->flush();
  held->flush();
  const auto files = names.take();
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(file_text(files[0].hidden), text_of(some(300, 1)));
}

TEST_F(HeldWriterTest, WhatCannotBeWrittenIsKnownAtOnce) {
  for (const std::int64_t rotate_ns : {std::int64_t{0}, kSecond}) {
    options_.rotate_ns = rotate_ns;
    options_.file = folder_.file("nowhere/flows.csv");
    EXPECT_NE(test::thrown_text([&] { writer(); }).find("No such file or directory"), std::string::npos);
  }
}

}  // namespace
}  // namespace warpmeter
