// What we write keeps to what we take a file of its size for, whatever the records are. (Files of others that do not:
// tests/e2e/formats/parquet_bombs.sh.)
#include "record/parquet/module/file_limits.h"

#include <gtest/gtest.h>

#include "base/files/named_pipe.h"
#include "support/parquet_bytes.h"

namespace warpmeter {
namespace {

TEST(FileLimits, HoldForRecordsThatAreAllTheSame) {
  constexpr std::int64_t kRows = kFreeRows + kRowsInGroup + 1;
  FlowRecord record;
  record.key.version = 4;
  record.packets = 1;
  test::StringSink sink;
  RecordFileWriter writer(sink, {});
  writer.begin();
  for (std::int64_t row = 0; row < kRows; ++row) writer.write(record, nullptr);
  writer.end();
  EXPECT_LE(kRows, most_rows(static_cast<std::int64_t>(sink.text.size())));

  const test::ScratchFolder folder;
  test::write_file(folder.file("same.parquet"), sink.text);
  RecordFileReader reader(folder.file("same.parquet"), open_to_read(folder.file("same.parquet")));
  std::int64_t rows = 0;
  for (Biflow flow; reader.next(flow); ++rows) ASSERT_EQ(flow.forward.packets, 1u);
  EXPECT_FALSE(reader.damage()) << reader.damage()->reason;
  EXPECT_EQ(rows, kRows);
}

// Columns as long as they get: no two values are the same.
TEST(FileLimits, HoldForBiflowsThatAreAllDifferent) {
  std::mt19937_64 random(3);
  std::vector<Biflow> flows(150'000);
  for (Biflow& flow : flows) {
    flow.has_reverse = true;
    flow.forward = test::random_record(random, true);
    flow.reverse = test::random_record(random, true);
    flow.reverse.key = flow.forward.key;
  }
  const test::ScratchFolder folder;
  test::write_file(folder.file("biflows.parquet"), test::parquet_of(flows, {.vlan = true, .biflow = true}));
  RecordFileReader reader(folder.file("biflows.parquet"), open_to_read(folder.file("biflows.parquet")));
  std::size_t rows = 0;
  for (Biflow flow; reader.next(flow); ++rows) continue;
  EXPECT_FALSE(reader.damage()) << reader.damage()->reason;
  EXPECT_EQ(rows, flows.size());
}

}  // namespace
}  // namespace warpmeter
