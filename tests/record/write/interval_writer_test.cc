// --rotate TIME: which file a Flow Record goes to, in which order, however many intervals there are and however few
// records fit in memory.
#include "record/write/interval_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/files/output_file.h"
#include "record/write/file_writer.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "support/writers.h"

namespace warpmeter {
namespace {

using test::file_text;
using test::ScratchFolder;

class Intervals : public testing::TestWithParam<std::uint64_t> {
 protected:
  Intervals() {
    options_.file = folder_.file("out/flows.csv");
    options_.rotate_ns = 1'000'000'000;
    options_.tmpdir = folder_.path();
    options_.waiting_memory = GetParam();
    std::filesystem::create_directory(folder_.file("out"));
  }
  void write_all(const std::vector<FlowRecord>& records) {
    IntervalWriter writer(options_, {});
    writer.begin();
    for (const FlowRecord& record : records) writer.write(record, nullptr);
    writer.end();
  }
  // As one file holds them, the header left out.
  std::vector<std::string> rows(const std::vector<FlowRecord>& records) const {
    OutputOptions one;
    one.file = folder_.file("one.csv");
    FileWriter writer(one.file, one, RecordLayout{});
    test::write_all(writer, records);
    return lines_of(one.file);
  }
  static std::vector<std::string> lines_of(const std::string& file) {
    std::istringstream text(file_text(file));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    EXPECT_FALSE(lines.empty()) << file;
    if (!lines.empty()) lines.erase(lines.begin());
    return lines;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.file("out"))) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  const ScratchFolder folder_;
  OutputOptions options_;
};

// Ends `end_ns` from 1970 on; records differ by their packets.
FlowRecord ending(std::int64_t end_ns, std::uint64_t packets) {
  FlowRecord record;
  record.key.version = 4;
  record.start_ns = record.end_ns = end_ns;
  record.packets = packets;
  return record;
}

TEST_P(Intervals, AreNamedByTheirBeginning) {
  write_all({ending(0, 1), ending(-1, 2), ending(999'999'999, 3), ending(1'000'000'000, 4)});
  EXPECT_EQ(names(), (std::vector<std::string>{"flows.19691231T235959Z.csv", "flows.19700101T000000Z.csv",
                                               "flows.19700101T000001Z.csv"}));
  EXPECT_EQ(lines_of(folder_.file("out/flows.19700101T000000Z.csv")), rows({ending(0, 1), ending(999'999'999, 3)}));
}

TEST_P(Intervals, KeepTheOrderInWhichRecordsCame) {
  std::vector<FlowRecord> records;
  std::map<std::int64_t, std::vector<FlowRecord>> wanted;
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const std::int64_t second = static_cast<std::int64_t>(i * 2654435761u % 700) - 350;
    records.push_back(ending(second * 1'000'000'000 + static_cast<std::int64_t>(i), i));
    wanted[second].push_back(records.back());
  }
  write_all(records);
  const std::vector<std::string> files = names();
  ASSERT_EQ(files.size(), wanted.size());
  auto file = files.begin();
  for (const auto& [second, some] : wanted) EXPECT_EQ(lines_of(folder_.file("out/" + *file++)), rows(some)) << second;
}

TEST_P(Intervals, OfABiflowCountTheLaterEnd) {
  IntervalWriter writer(options_, {.biflow = true});
  FlowRecord forward = ending(1, 10), backward = ending(2'000'000'001, 20);
  forward.flags = kOpener;
  writer.begin();
  writer.write(forward, &backward);
  writer.write(backward, nullptr);
  writer.write(backward, &forward);
  writer.end();
  ASSERT_EQ(names(), std::vector<std::string>{"flows.19700101T000002Z.csv"});
  const std::vector<std::string> lines = lines_of(folder_.file("out/flows.19700101T000002Z.csv"));
  OutputOptions one;
  one.file = folder_.file("one.csv");
  FileWriter plain(one.file, one, RecordLayout{.biflow = true});
  const std::vector<Biflow> flows = {{forward, backward, true}, {backward, {}, false}, {backward, forward, true}};
  test::write_all(plain, flows);
  EXPECT_EQ(lines, lines_of(one.file));
}

TEST_P(Intervals, WithoutRecordsAreOneFile) {
  write_all({});
  EXPECT_EQ(names(), std::vector<std::string>{"flows.empty.csv"});
}

// As a live capture does, whose Flow Records nobody can make again.
TEST_P(Intervals, StayBesideThoseOfAnEarlierRun) {
  options_.beside_earlier = true;
  write_all({});
  EXPECT_EQ(names(), std::vector<std::string>{});
  write_all({ending(0, 1)});
  const std::vector<std::string> first = names();
  ASSERT_EQ(first.size(), 1U);
  const std::vector<std::string> before = lines_of(folder_.file("out/" + first[0]));
  write_all({ending(0, 2), ending(1, 3)});
  std::string second = first[0];
  second.insert(second.rfind('.'), "-2");
  EXPECT_EQ(names(), (std::vector<std::string>{second, first[0]}));
  EXPECT_EQ(lines_of(folder_.file("out/" + first[0])), before);
  EXPECT_EQ(lines_of(folder_.file("out/" + second)).size(), 2U);
}

TEST_P(Intervals, FolderThatIsMissingIsAnErrorAtOnce) {
  options_.file = folder_.file("nowhere/flows.csv");
  EXPECT_NE(test::thrown_text([&] { IntervalWriter writer(options_, {}); }).find("nowhere/flows"), std::string::npos);
  EXPECT_EQ(names(), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Memory, Intervals, testing::Values(1, 100'000, 16 << 20));

}  // namespace
}  // namespace warpmeter
