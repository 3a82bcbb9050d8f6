// Rows of any columns: the same bytes in whatever pieces they come, what there is without any, and what a sink throws.
#include "record/parquet/module/rows_file_writer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "record/arrow/arrow_format.h"
#include "support/parquet_bytes.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

const std::vector<ArrowField> kFields = {{"number", "L", false}, {"word", "u", false}, {"some", "S", true}};

struct FullDisk : ByteSink {
  void write(const void*, std::size_t) override { throw Error("the disk is full"); }
};

ArrowSchema schema_of_fields() {
  ArrowSchema schema;
  export_schema(kFields, schema);
  return schema;
}

void write_rows(ByteSink& sink, RowsForm form, std::int64_t count, std::int64_t piece, unsigned threads = 1) {
  ArrowSchema schema = schema_of_fields();
  RowsFileWriter writer(sink, form, schema, threads);
  ArrowRows rows(kFields);
  for (std::int64_t i = 0; i < count; ++i) {
    rows.put(0, i);
    rows.put(1, i % 3 ? "new" : "retransmitted");
    if (i % 7) rows.put(2, std::int64_t{UINT16_MAX} - i % 1000);
    else rows.put_null(2);
    rows.end_row();
    if (rows.rows() < piece && i + 1 < count) continue;
    ArrowArray array;
    rows.take(array);
    writer.append(array);
  }
  writer.end();
}

class RowsFile : public testing::TestWithParam<RowsForm> {};

TEST_P(RowsFile, HasTheSameBytesInAnyPieces) {
  test::StringSink one;
  write_rows(one, GetParam(), 100'000, 100'000);
  for (const std::int64_t piece : {1'000, 4'097, 16'384, 50'000}) {
    for (const unsigned threads : {1u, 3u}) {
      test::StringSink other;
      write_rows(other, GetParam(), 100'000, piece, threads);
      EXPECT_TRUE(other.text == one.text) << piece << ", " << threads << " threads";
    }
  }
}

TEST_P(RowsFile, IsWholeWithoutRows) {
  test::StringSink sink;
  write_rows(sink, GetParam(), 0, 1);
  const std::string mark = GetParam() == RowsForm::parquet ? "PAR1" : "ARROW1";
  EXPECT_TRUE(sink.text.starts_with(mark));
  EXPECT_TRUE(sink.text.ends_with(mark));
}

TEST_P(RowsFile, ThrowsWhatTheSinkThrows) {
  FullDisk disk;
  EXPECT_EQ(test::thrown_text([&] { write_rows(disk, GetParam(), 100'000, 1'000); }), "the disk is full");
}

INSTANTIATE_TEST_SUITE_P(Forms, RowsFile, testing::Values(RowsForm::parquet, RowsForm::arrow));

}  // namespace
}  // namespace warpmeter
