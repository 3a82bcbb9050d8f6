// Several threads export as one does: all records, in output order, whatever the writer makes of sections; and what a
// writer throws arrives.
#include "pipeline/run/metering_run.h"

#include <gtest/gtest.h>

#include "core/one_by_one_writer.h"
#include "pipeline/metering/metering_work.h"
#include "record/text/file_format.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "support/writers.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using test::ScratchFolder;

// Keeps what it gets.
class Recorder : public OneByOneWriter {
 public:
  explicit Recorder(std::uint64_t fails_at = 0) : fails_at_(fails_at) {}
  void begin() override { ++begun; }
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    if (record.arrival == fails_at_) throw Error("no more");
    records.push_back(record);
    if (reverse) records.push_back(*reverse);
  }
  void end() override { ++ended; }

  std::vector<FlowRecord> records;
  int begun = 0, ended = 0;

 private:
  const std::uint64_t fails_at_;
};

std::vector<FlowRecord> flows(std::size_t count, std::uint32_t keys) {
  std::mt19937_64 random(keys);
  std::vector<FlowRecord> records;
  for (std::size_t i = 0; i < count; ++i) {
    const auto start = static_cast<std::int64_t>(1000 * i);
    records.push_back(test::test_record(static_cast<std::uint32_t>(random() % keys), start, start + 1, i + 1));
    records.back().end_reason = EndReason::idle;
  }
  return records;
}

struct Shape {
  unsigned threads;
  std::uint32_t keys;
};

class OrderedExport : public testing::TestWithParam<Shape> {
 protected:
  OrderedExport() : records_(flows(kFlows, GetParam().keys)) {
    options_.threads = GetParam().threads;
    options_.tmpdir = folder_.path();
    options_.memory = 32 << 20;
    options_.run_memory = 4 << 20;  // some files
    options_.meter.timeouts = {};
  }

  ExportedRecords export_to(RecordWriter& writer) const {
    RunStore runs(run_store_options(options_));
    for (std::size_t i = 0; i < kFlows; i += 250) {
      runs.add(
          {records_.begin() + static_cast<std::ptrdiff_t>(i), records_.begin() + static_cast<std::ptrdiff_t>(i + 250)});
    }
    return export_in_order(runs, options_, writer);
  }

  static constexpr std::size_t kFlows = 60'000;  // of one key more than fit into a section
  const ScratchFolder folder_;
  const std::vector<FlowRecord> records_;
  ExtractOptions options_;
};

TEST_P(OrderedExport, GivesEveryRecordInOrder) {
  Recorder writer;
  const ExportedRecords exported = export_to(writer);
  EXPECT_TRUE(test::same_records(test::sorted(records_), writer.records));
  EXPECT_EQ(writer.begun, 1);
  EXPECT_EQ(writer.ended, 1);
  EXPECT_EQ(exported.rows, kFlows);
  EXPECT_EQ(exported.totals.packets, kFlows);
  EXPECT_EQ(exported.totals.bytes, 100 * kFlows);
  EXPECT_EQ(exported.join.flows_by_end_reason[static_cast<std::size_t>(EndReason::idle)], kFlows);
}

TEST_P(OrderedExport, TextInSectionsIsThatOfLines) {
  const std::string by_line = folder_.file("lines"), in_sections = folder_.file("sections");
  const std::unique_ptr<FileFormat> format = make_csv_format({});
  {
    OutputFile file(by_line);
    test::write_all(*format->new_file(file), test::sorted(records_));
    file.commit();
  }
  OutputFile file(in_sections);
  export_to(*format->new_file(file));
  file.commit();
  EXPECT_TRUE(test::file_text(by_line) == test::file_text(in_sections));
}

TEST_P(OrderedExport, WhatTheWriterThrowsArrives) {
  for (const std::uint64_t fails_at : {1u, 30'000u, 60'000u}) {
    Recorder writer(fails_at);
    EXPECT_EQ(test::thrown_text([&] { export_to(writer); }), "no more");
    EXPECT_EQ(writer.ended, 0);
    EXPECT_LT(writer.records.size(), kFlows);
  }
}

#if defined(__SANITIZE_THREAD__) && !defined(WARPMETER_LONG)  // slow, and one thread tells it nothing
INSTANTIATE_TEST_SUITE_P(Threads, OrderedExport, testing::Values(Shape{7, 100'000}));
#else
INSTANTIATE_TEST_SUITE_P(All, OrderedExport,
                         testing::Values(Shape{1, 1}, Shape{1, 100'000}, Shape{2, 3}, Shape{2, 100'000}, Shape{7, 1},
                                         Shape{7, 50}, Shape{7, 100'000}));
#endif

}  // namespace
}  // namespace warpmeter
