// Columns that options add, as Parquet's own reader finds them.
#include <arrow/io/memory.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <parquet/api/reader.h>

#include "core/noted_columns.h"
#include "support/extra_columns.h"
#include "support/parquet_bytes.h"

namespace warpmeter {
namespace {

constexpr std::int64_t kWritten = 2000;  // more than are encoded at a time

// Calls f(definition level, repetition level, text) for each level; of a null, or an empty list, with no text.
template <class F>
void for_each_value(::parquet::ParquetFileReader& file, int column, F f) {
  const auto of_column = file.RowGroup(0)->Column(column);
  auto& values = dynamic_cast<::parquet::ByteArrayReader&>(*of_column);
  const std::int16_t most = values.descr()->max_definition_level();
  std::vector<std::int16_t> levels(kWritten), repetitions(kWritten);
  std::vector<::parquet::ByteArray> texts(kWritten);
  while (values.HasNext()) {
    std::int64_t found = 0;
    const auto read =
        static_cast<std::size_t>(values.ReadBatch(kWritten, levels.data(), repetitions.data(), texts.data(), &found));
    std::size_t next = 0;
    for (std::size_t i = 0; i < read; ++i) {
      const bool has_text = levels[i] == most;
      const ::parquet::ByteArray text = has_text ? texts[next++] : ::parquet::ByteArray();
      const std::int16_t repetition = values.descr()->max_repetition_level() ? repetitions[i] : std::int16_t{0};
      f(levels[i], repetition, std::string(reinterpret_cast<const char*>(text.ptr), text.len));
    }
  }
}

TEST(ParquetExtraColumns, HaveTheirTextsAndNulls) {
  std::vector<Biflow> flows(kWritten);
  for (std::size_t i = 0; i < flows.size(); ++i) flows[i].forward.packets = i % 4;
  const std::string bytes = test::parquet_of(flows, {.extra = {std::make_shared<test::PacketMarks>()}});
  const auto reader = ::parquet::ParquetFileReader::Open(
      std::make_shared<::arrow::io::BufferReader>(::arrow::Buffer::FromString(bytes)));
  const int column = reader->metadata()->num_columns() - 1;
  EXPECT_EQ(reader->metadata()->schema()->Column(column)->name(), "packet_marks");
  std::size_t row = 0;
  for_each_value(*reader, column, [&](std::int16_t level, std::int16_t, const std::string& text) {
    EXPECT_EQ(level, row % 4 ? 1 : 0);
    EXPECT_EQ(text, std::string(row % 4, 'x'));
    ++row;
  });
  EXPECT_EQ(row, static_cast<std::size_t>(kWritten));
}

TEST(ParquetExtraColumns, HaveListsAndTextsOfWhatWasNoted) {
  test::StringSink sink;
  RecordFileWriter writer(sink, {.extra = test::annotation_columns()});
  writer.begin();
  for (std::uint64_t i = 0; i < kWritten; ++i) {
    Annotations noted;
    for (std::uint64_t tag = 0; tag < i % 3; ++tag) noted.add({i, test::kTags, std::to_string(i + tag)});
    if (i % 5 == 0) noted.add({i, test::kTitle, std::to_string(i)});
    if (noted.empty()) writer.write({}, nullptr);
    else writer.write_annotated({}, nullptr, noted);
  }
  writer.end();
  const auto reader = ::parquet::ParquetFileReader::Open(
      std::make_shared<::arrow::io::BufferReader>(::arrow::Buffer::FromString(sink.text)));
  const int last = reader->metadata()->num_columns() - 1;
  EXPECT_EQ(reader->metadata()->schema()->Column(last - 1)->path()->ToDotString(), "tags.list.element");
  std::string lists, texts;
  std::int64_t row = -1;
  for_each_value(*reader, last - 1, [&](std::int16_t level, std::int16_t repetition, const std::string& text) {
    if (repetition == 0) lists += fmt::format("|{}:", ++row);
    if (level == 1) lists += text + ";";
  });
  row = -1;
  for_each_value(*reader, last, [&](std::int16_t level, std::int16_t, const std::string& text) {
    ++row;
    if (level == 1) texts += fmt::format("|{}:{}", row, text);
  });
  std::string expected_lists, expected_texts;
  for (std::int64_t i = 0; i < kWritten; ++i) {
    expected_lists += fmt::format("|{}:", i);
    for (std::int64_t tag = 0; tag < i % 3; ++tag) expected_lists += std::to_string(i + tag) + ";";
    if (i % 5 == 0) expected_texts += fmt::format("|{}:{}", i, i);
  }
  EXPECT_EQ(lists, expected_lists);
  EXPECT_EQ(texts, expected_texts);
}

ExtraColumns labels_and_name() {
  return {std::make_shared<AnnotationColumn>("labels", 0, true),
          std::make_shared<AnnotationColumn>("tls_sni", 1, false)};
}

// Of a flow: up to four labels, and perhaps a name of its own, as long as there may be.
Annotations annotations_of_flow(std::size_t i) {
  Annotations noted;
  for (std::size_t n = 0; n < i % 5; ++n) noted.add({0, 0, "label-" + std::to_string((i + n) % 100)});
  if (i % 3) noted.add({0, 1, std::string(NotedColumns::kLongest - 10, 'x') + std::to_string(i)});
  return noted;
}

TEST(ParquetExtraColumns, AreReadBackAsAnnotations) {
  constexpr std::size_t kFlows = 20'000;
  test::StringSink sink;
  RecordFileWriter writer(sink, {.extra = labels_and_name()});
  writer.begin();
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < kFlows; ++i) {
    const FlowRecord record = test::random_record(random, false);
    const Annotations noted = annotations_of_flow(i);
    if (noted.empty()) writer.write(record, nullptr);
    else writer.write_annotated(record, nullptr, noted);
  }
  writer.end();
  const test::ScratchFolder folder;
  test::write_file(folder.file("a.parquet"), sink.text);
  RecordFileReader reader(folder.file("a.parquet"), open_to_read(folder.file("a.parquet")));
  ASSERT_EQ(reader.layout().extra.size(), 2u);
  EXPECT_TRUE(reader.layout().extra[0]->is_list());
  std::size_t read = 0;
  for (Biflow flow; reader.next(flow); ++read) {
    ASSERT_EQ(reader.annotations().all(), annotations_of_flow(read).all()) << read;
  }
  EXPECT_FALSE(reader.damage()) << reader.damage()->reason;
  EXPECT_EQ(read, kFlows);
}

TEST(ParquetExtraColumns, AreNoAnnotationsWithoutLabels) {
  test::StringSink sink;
  RecordFileWriter writer(sink, {.extra = {std::make_shared<AnnotationColumn>("tls_sni", 1, false)}});
  writer.begin();
  std::mt19937_64 random(1);
  writer.write_annotated(test::random_record(random, false), nullptr, annotations_of_flow(1));
  writer.end();
  const test::ScratchFolder folder;
  test::write_file(folder.file("a.parquet"), sink.text);
  RecordFileReader reader(folder.file("a.parquet"), open_to_read(folder.file("a.parquet")));
  Biflow flow;
  EXPECT_TRUE(reader.next(flow));
  EXPECT_TRUE(reader.annotations().empty());
  EXPECT_TRUE(reader.layout().extra.empty());
}

}  // namespace
}  // namespace warpmeter
