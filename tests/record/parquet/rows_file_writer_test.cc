// Rows of any columns: the same bytes in whatever pieces they come, all values of Parquet again, what there is without
// any, and what a sink throws.
#include "record/parquet/module/rows_file_writer.h"

#include <arrow/io/memory.h>
#include <gtest/gtest.h>
#include <parquet/api/reader.h>
#include <parquet/page_index.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/hash_seed.h"
#include "record/arrow/arrow_format.h"
#include "support/fewer.h"
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
  const std::int64_t rows = test::if_long(300'000, 140'000);  // more than a row group has
  write_rows(one, GetParam(), rows, rows);
  for (const std::int64_t piece : {1'000, 4'097, 16'384, 50'000}) {
    for (const unsigned threads : {1u, 3u}) {
      test::StringSink other;
      write_rows(other, GetParam(), rows, piece, threads);
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

// The values of a column of a file, and the level of each row: 1, or 0 where it is null.
template <class Reader, class T>
std::pair<std::vector<T>, std::vector<std::int16_t>> column_of(const std::string& file, int column) {
  const auto reader =
      ::parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file)));
  std::vector<T> values;
  std::vector<std::int16_t> levels;
  for (int group = 0; group < reader->metadata()->num_row_groups(); ++group) {
    const auto from = reader->RowGroup(group)->Column(column);
    while (from->HasNext()) {
      constexpr std::int64_t kMost = 10'000;
      std::vector<T> some(kMost);
      std::vector<std::int16_t> some_levels(kMost, 1);
      std::int64_t read = 0;
      const std::int64_t rows =
          static_cast<Reader&>(*from).ReadBatch(kMost, some_levels.data(), nullptr, some.data(), &read);
      values.insert(values.end(), some.begin(), some.begin() + read);
      levels.insert(levels.end(), some_levels.begin(), some_levels.begin() + rows);
    }
  }
  return {values, levels};
}

TEST(ParquetRows, HasAllValuesAgain) {
  constexpr std::int64_t kRows = 200'000;
  test::StringSink sink;
  write_rows(sink, RowsForm::parquet, kRows, 3'001, 2);
  const auto [numbers, all] = column_of<::parquet::Int64Reader, std::int64_t>(sink.text, 0);
  const auto [some, levels] = column_of<::parquet::Int32Reader, std::int32_t>(sink.text, 2);
  ASSERT_EQ(numbers.size(), static_cast<std::size_t>(kRows));
  ASSERT_EQ(levels.size(), numbers.size());
  for (std::int64_t i = 0, at = 0; i < kRows; ++i) {
    ASSERT_EQ(numbers[i], i);
    ASSERT_EQ(levels[i], i % 7 ? 1 : 0) << i;
    if (!levels[i]) continue;
    ASSERT_EQ(some[at++], UINT16_MAX - i % 1000) << i;
  }
}

// Columns of which each type has numbers that repeat, that are any, and that grow.
struct NumberColumn {
  std::string_view format;
  unsigned bytes;          // of a number
  std::uint64_t distinct;  // 0: any number; 1: row by row 1 more
};
constexpr NumberColumn kNumbers[] = {{"C", 1, 5},  {"C", 1, 0}, {"S", 2, 40}, {"S", 2, 0},      {"S", 2, 1},
                                     {"I", 4, 90}, {"I", 4, 0}, {"I", 4, 1},  {"L", 8, 9},      {"L", 8, 0},
                                     {"l", 8, 70}, {"l", 8, 0}, {"l", 8, 1},  {"tsn:UTC", 8, 0}};

std::uint64_t number_of(const NumberColumn& of, std::uint64_t row) {
  const std::uint64_t most = UINT64_MAX >> (64 - 8 * of.bytes);
  if (of.distinct == 1) return (most / 2 - 500 + row) & most;
  const HashSeed seed(of.distinct);
  const std::uint64_t drawn = of.distinct ? fold_multiply(row + seed.word[0], seed.word[1]) % of.distinct : row;
  return fold_multiply(drawn ^ seed.word[2], seed.word[3]) & most;
}

// Every seventh row is null, and so are all of the second page.
bool has_number(std::uint64_t row) { return row % 7 != 0 && (row < 16'384 || row >= 32'768); }

ArrowColumn numbers(const NumberColumn& of, bool nullable, std::uint64_t first, std::uint64_t rows) {
  ArrowColumn column;
  column.values.resize(rows * of.bytes);
  column.validity.assign(nullable ? (rows + 7) / 8 : 0, 0);
  for (std::uint64_t i = 0; i < rows; ++i) {
    const std::uint64_t number = number_of(of, first + i);
    std::memcpy(&column.values[i * of.bytes], &number, of.bytes);
    if (!nullable) continue;
    const bool has = has_number(first + i);
    column.validity[i / 8] = static_cast<std::uint8_t>(column.validity[i / 8] | has << i % 8);
    column.nulls += !has;
  }
  return column;
}

std::string file_of_numbers(std::uint64_t rows, bool nullable) {
  std::vector<ArrowField> fields;
  for (const NumberColumn& of : kNumbers) fields.push_back({std::to_string(fields.size()), of.format, nullable});
  ArrowSchema schema;
  export_schema(fields, schema);
  test::StringSink sink;
  RowsFileWriter writer(sink, RowsForm::parquet, schema, 2);
  for (std::uint64_t first = 0, count = 0; first < rows; first += count) {
    count = std::min<std::uint64_t>(rows - first, 4'999);
    std::vector<ArrowColumn> columns;
    for (const NumberColumn& of : kNumbers) columns.push_back(numbers(of, nullable, first, count));
    ArrowArray array;
    export_array(std::move(columns), static_cast<std::int64_t>(count), array);
    writer.append(array);
  }
  writer.end();
  return std::move(sink.text);
}

template <class Reader, class T>
void expect_numbers(const std::string& file, int column, std::uint64_t rows, bool nullable) {
  const auto [values, levels] = column_of<Reader, T>(file, column);
  ASSERT_EQ(levels.size(), rows);
  std::size_t at = 0;
  for (std::uint64_t row = 0; row < rows; ++row) {
    ASSERT_EQ(levels[row], !nullable || has_number(row)) << "column " << column << ", row " << row;
    if (!levels[row]) continue;
    ASSERT_EQ(values[at++], static_cast<T>(number_of(kNumbers[column], row))) << "column " << column << ", row " << row;
  }
  EXPECT_EQ(at, values.size());
}

TEST(ParquetRows, HasNumbersOfEachTypeInEachForm) {
  constexpr std::uint64_t kRows = 140'001;
  for (const bool nullable : {false, true}) {
    const std::string file = file_of_numbers(kRows, nullable);
    for (int i = 0; i < static_cast<int>(std::size(kNumbers)); ++i) {
      if (kNumbers[i].bytes == 8) expect_numbers<::parquet::Int64Reader, std::int64_t>(file, i, kRows, nullable);
      else expect_numbers<::parquet::Int32Reader, std::int32_t>(file, i, kRows, nullable);
    }
  }
}

// What a reader skips by: of a row group, and of its pages.
TEST(ParquetRows, TellsTheLeastAndTheMostOfNumbers) {
  const std::string file = file_of_numbers(40'000, true);
  const auto reader =
      ::parquet::ParquetFileReader::Open(std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(file)));
  const auto group = reader->metadata()->RowGroup(0);
  const bool has_index = ::parquet::default_writer_properties()->page_index_enabled();  // older ones of Arrow have none
  const auto pages = has_index ? reader->GetPageIndexReader()->RowGroup(0) : nullptr;
  ASSERT_EQ(pages != nullptr, has_index);
  for (int i = 0; i < group->num_columns(); ++i) {
    const NumberColumn& of = kNumbers[i];
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t row = 0; row < 40'000; ++row) {
      if (has_number(row)) numbers.push_back(number_of(of, row));
    }
    const bool is_signed = of.format != "L" && of.bytes == 8;
    const auto [least, most] = std::ranges::minmax_element(numbers, [&](std::uint64_t a, std::uint64_t b) {
      return is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
    });
    const auto bytes_of = [&](std::uint64_t number) {
      return std::string(reinterpret_cast<const char*>(&number), of.bytes == 8 ? 8 : 4);
    };
    const auto told = group->ColumnChunk(i)->statistics();
    ASSERT_TRUE(told && told->HasMinMax()) << i;
    EXPECT_EQ(told->EncodeMin(), bytes_of(*least)) << i;
    EXPECT_EQ(told->EncodeMax(), bytes_of(*most)) << i;
    EXPECT_EQ(told->null_count(), static_cast<std::int64_t>(40'000 - numbers.size())) << i;
    if (!has_index) continue;
    const auto index = pages->GetColumnIndex(i);
    ASSERT_TRUE(index) << i;
    EXPECT_EQ(index->null_pages(), (std::vector<bool>{false, true, false})) << i;
    EXPECT_EQ(pages->GetOffsetIndex(i)->page_locations().at(2).first_row_index, 32'768) << i;
  }
}

// Addresses of IPv4 and IPv6, more of them than a dictionary begins with, and words up to the longest.
TEST(ParquetRows, HasTextsOfKeys) {
  constexpr int kRows = 40'000, kAddresses = 3'000;
  const std::vector<ArrowField> fields = {{"address", kAddressKeys, false}, {"word", kWordKeys, false}};
  ArrowSchema schema;
  export_schema(fields, schema);
  std::vector<ArrowColumn> columns(2);
  columns[0].values.resize(kRows * 17);
  columns[1].values.resize(kRows * 16);
  for (int i = 0; i < kRows; ++i) {
    std::uint8_t* const key = &columns[0].values[i * 17];
    key[0] = i % 2 ? 6 : 4;
    key[1] = 10;
    key[3] = static_cast<std::uint8_t>(i % kAddresses >> 8);
    key[4] = static_cast<std::uint8_t>(i % kAddresses);
    std::ranges::copy(std::string_view(i % 3 ? "new" : "sixteen letters."), &columns[1].values[i * 16]);
  }
  ArrowArray array;
  export_array(std::move(columns), kRows, array);
  test::StringSink sink;
  RowsFileWriter writer(sink, RowsForm::parquet, schema, 2);
  writer.append(array);
  writer.end();
  const auto texts_of = [&sink](int column) {
    // Values lie in pages of the reader: one that lives as long as they do.
    const auto reader = ::parquet::ParquetFileReader::Open(
        std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(sink.text)));
    const auto from = std::static_pointer_cast<::parquet::ByteArrayReader>(reader->RowGroup(0)->Column(column));
    std::vector<std::string> texts;
    for (::parquet::ByteArray value; from->HasNext();) {
      std::int64_t read = 0;
      from->ReadBatch(1, nullptr, nullptr, &value, &read);
      if (read > 0) texts.emplace_back(reinterpret_cast<const char*>(value.ptr), value.len);
    }
    return texts;
  };
  const std::vector<std::string> addresses = texts_of(0), words = texts_of(1);
  ASSERT_EQ(addresses.size(), static_cast<std::size_t>(kRows));
  ASSERT_EQ(words.size(), addresses.size());
  for (int i = 0; i < kRows; ++i) {
    const int low = i % kAddresses;
    const std::string four = "10.0." + std::to_string(low >> 8) + "." + std::to_string(low & 255);
    if (i % 2 == 0) {
      ASSERT_EQ(addresses[i], four) << i;
    } else {
      ASSERT_TRUE(addresses[i].starts_with("a00:")) << addresses[i];
    }
    ASSERT_EQ(words[i], i % 3 ? "new" : "sixteen letters.") << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, RowsFile, testing::Values(RowsForm::parquet, RowsForm::arrow));

}  // namespace
}  // namespace warpmeter
