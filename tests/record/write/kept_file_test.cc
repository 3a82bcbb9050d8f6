// Files on a disk without room, played by a limit of file size: they end valid with what there was room for, and what
// they have and what is counted as lost is all that there was.
#include "record/write/kept_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "core/record_writer.h"
#include "record/parquet/parquet_files.h"
#include "record/write/output_format.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

class LimitedFiles {
 public:
  explicit LimitedFiles(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~LimitedFiles() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  LimitedFiles(const LimitedFiles&) = delete;
  LimitedFiles& operator=(const LimitedFiles&) = delete;

 private:
  rlimit before_{};
  void (*const handler_)(int);
};

class KeptFileTest : public testing::Test {
 protected:
  // Writes them into files of at most so many bytes.
  void write(const std::vector<FlowRecord>& records, rlim_t most) {
    std::shared_ptr<const FileFormat> format = make_file_format(options_, {});
    KeptFile file(
        format, [&] { return std::make_unique<FileWriter>(options_.file, options_, format); }, loss_);
    const LimitedFiles limited(most);
    file.begin();
    RecordStream stream(file, 4 << 10);
    for (const FlowRecord& record : records) stream.write(record, nullptr);
    stream.flush();
    file.end();
  }
  static RecordSums sums_of(const std::vector<FlowRecord>& records, std::size_t first) {
    RecordSums sums;
    for (std::size_t i = 0; i < first; ++i) sums.add(records[i]);
    return sums;
  }
  void expect_first(const std::vector<FlowRecord>& records, std::size_t kept) const {
    const RecordSums all = sums_of(records, records.size()), in_file = sums_of(records, kept);
    const OutputLossCounts counts = loss_.counts();
    EXPECT_EQ(counts.lost.records, records.size() - kept);
    EXPECT_EQ(counts.lost.packets, all.packets - in_file.packets);
    EXPECT_EQ(counts.lost.octets, all.octets - in_file.octets);
    EXPECT_EQ(counts.is_failing, kept < records.size());
    EXPECT_EQ(std::filesystem::exists(options_.file), kept > 0);
  }

  const test::ScratchFolder folder_;
  OutputOptions options_;
  OutputLoss loss_{"flows", true};
};

std::vector<FlowRecord> many() {
  auto records = test::random_records(20'000, 7);
  for (auto& record : records) record.bytes >>= 1;  // columns of Parquet are signed
  return {records.begin(), records.end()};
}

TEST_F(KeptFileTest, LinesEndBehindARecord) {
  options_.file = folder_.file("flows.csv");
  const auto records = many();
  write(records, 1 << 20);
  const std::string text = test::file_text(options_.file);
  ASSERT_FALSE(text.empty());
  EXPECT_EQ(text.back(), '\n');
  EXPECT_GT(text.size(), (1u << 20) - (8u << 10));
  expect_first(records, static_cast<std::size_t>(std::ranges::count(text, '\n')) - 1);
}

TEST_F(KeptFileTest, OfWhatNothingCouldBeWrittenThereIsNoFile) {
  const auto records = many();
  for (const char* name : {"flows.csv", "flows.csv.gz"}) {
    options_.file = folder_.file(name);
    options_.packing = packing_of(name);
    if (!why_not_packed(options_.packing).empty()) continue;
    write(records, 100);
    EXPECT_FALSE(std::filesystem::exists(options_.file));
  }
}

// As where the disk fails: room was reserved, and then writing fails all the same.
TEST_F(KeptFileTest, OfAFileThatNeedsAnEndAndGotNoneNothingIsLeft) {
  options_.file = folder_.file("flows.csv.gz");
  options_.packing = Packing::gzip;
  if (!why_not_packed(options_.packing).empty()) GTEST_SKIP() << "a build with zlib (package zlib1g-dev) runs this";
  const auto records = many();
  {
    std::shared_ptr<const FileFormat> format = make_file_format(options_, {});
    KeptFile file(
        format, [&] { return std::make_unique<FileWriter>(options_.file, options_, format); }, loss_);
    RecordStream stream(file, 4 << 10);
    for (const FlowRecord& record : records) stream.write(record, nullptr);
    stream.flush();
    const LimitedFiles limited(100);
    file.end();
  }
  expect_first(records, 0);
  EXPECT_NE(loss_.counts().problem.find("flows.csv.gz: cannot be written: File too large"), std::string::npos);
}

TEST_F(KeptFileTest, WithRoomItIsWhole) {
  options_.file = folder_.file("flows.csv");
  const auto records = many();
  write(records, 1 << 30);
  expect_first(records, records.size());
  EXPECT_TRUE(loss_.counts().problem.empty());
}

TEST_F(KeptFileTest, AFileThatCannotBeOpenedLosesAll) {
  options_.file = folder_.file("nowhere/flows.csv");
  const auto records = many();
  write(records, 1 << 30);
  expect_first(records, 0);
  EXPECT_NE(loss_.counts().problem.find("No such file or directory"), std::string::npos);
}

TEST_F(KeptFileTest, AnotherFileIsTriedAndTellsNoLoss) {
  options_.file = folder_.file("flows.csv");
  const auto records = many();
  write(records, 100);
  write(records, 1 << 30);
  EXPECT_FALSE(loss_.counts().is_failing);
  EXPECT_EQ(loss_.counts().lost.records, records.size());
  EXPECT_EQ(loss_.counts().files, 1u);
}

TEST_F(KeptFileTest, IpfixEndsBehindAMessage) {
  options_.file = folder_.file("flows.ipfix");
  options_.format = Format::ipfix;
  if (!can_write(options_.format)) GTEST_SKIP() << "a build with libfixbuf (libfixbuf-dev) runs this";
  write(many(), 1 << 20);
  const std::string text = test::file_text(options_.file);
  EXPECT_GT(text.size(), (1u << 20) - (64u << 10));
  std::size_t at = 0;
  while (at + 4 <= text.size()) {
    at += static_cast<std::uint8_t>(text[at + 2]) << 8 | static_cast<std::uint8_t>(text[at + 3]);
  }
  EXPECT_EQ(at, text.size());
}

TEST_F(KeptFileTest, ParquetHasItsFooter) {
  options_.file = folder_.file("flows.parquet");
  options_.format = Format::parquet;
  try {
    require_parquet();
  } catch (const Error& error) {
    GTEST_SKIP() << "a build with Parquet (tools/setup-parquet) runs this: " << error.what();
  }
  const auto records = many();
  write(records, 400 << 10);
  std::size_t rows = 0;
  Biflow flow;
  const auto reader = make_parquet_reader(options_.file);
  for (; reader->next(flow); ++rows) EXPECT_EQ(flow.forward.bytes, records[rows].bytes);
  EXPECT_FALSE(reader->damage());
  EXPECT_GT(rows, 500u);
  EXPECT_LT(rows, records.size());
  expect_first(records, rows);
}

}  // namespace
}  // namespace warpmeter
