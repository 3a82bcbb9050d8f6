// What is noted of flows, in lines: a text, or a list of texts, of any length.
#include <gtest/gtest.h>

#include "core/record_writer.h"
#include "support/export_records.h"
#include "support/extra_columns.h"

namespace warpmeter {
namespace {

using test::annotations_of;
using test::kTags;
using test::kTitle;

// The line of a flow behind the last column that every Flow Record has.
std::string end_of_line(Format format, const Annotations& annotations) {
  const test::ScratchFolder folder;
  OutputFile output(folder.file("out"));
  const RecordLayout layout{.extra = test::annotation_columns()};
  const std::unique_ptr<FileFormat> text = make_text_format(format, layout);
  const std::unique_ptr<FormattedFile> file = text->new_file(output);
  file->begin();
  RecordStream stream(*file);
  stream.write_annotated(test::counted_record(test::key_of("10.0.0.1", "10.0.0.2", 1, 2, 6)), nullptr, annotations);
  stream.flush();
  file->end();
  output.commit();
  const std::string all = test::file_text(folder.file("out"));
  const std::string last = format == Format::csv ? ",17,3,16," : "\"duration_ns\":1500000000,";
  const std::size_t at = all.rfind(last);
  EXPECT_NE(at, std::string::npos) << all;
  return at == std::string::npos ? "" : all.substr(at + last.size());
}

TEST(AnnotatedLines, HaveAnEmptyListAndNoTextWhereNothingIsNoted) {
  EXPECT_EQ(end_of_line(Format::csv, {}), ",\n");
  EXPECT_EQ(end_of_line(Format::json, {}), "\"tags\":[],\"title\":null}\n");
}

TEST(AnnotatedLines, HaveEachTextOfAListOnceAndOfOthersTheFirst) {
  const Annotations noted = annotations_of(
      {{1, kTags, "b"}, {2, kTitle, "first"}, {2, kTags, "a"}, {3, kTags, "b"}, {9, kTitle, "second"}, {9, 77, "?"}});
  EXPECT_EQ(end_of_line(Format::csv, noted), "b;a,first\n");
  EXPECT_EQ(end_of_line(Format::json, noted), "\"tags\":[\"b\",\"a\"],\"title\":\"first\"}\n");
}

TEST(AnnotatedLines, EscapeWhatJsonEscapes) {
  const Annotations noted = annotations_of({{1, kTags, R"(a\x00")"}, {1, kTitle, R"(\)"}});
  EXPECT_EQ(end_of_line(Format::csv, noted), "a\\x00\",\\\n");
  EXPECT_EQ(end_of_line(Format::json, noted), R"("tags":["a\\x00\""],"title":"\\"})"
                                              "\n");
}

TEST(AnnotatedLines, HaveRoomForAnyNumberOfTextsOfAnyLength) {
  Annotations noted;
  std::string csv, json;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    std::string text = std::to_string(i);
    text.insert(0, i % 97, '"');
    noted.add({i, kTags, text});
    csv += (i ? ";" : "") + text;
    std::string escaped;
    for (const char c : text) escaped += c == '"' ? std::string("\\\"") : std::string(1, c);
    json += (i ? ",\"" : "\"") + escaped + '"';
  }
  EXPECT_EQ(end_of_line(Format::csv, noted), csv + ",\n");
  EXPECT_EQ(end_of_line(Format::json, noted), "\"tags\":[" + json + "],\"title\":null}\n");
}

}  // namespace
}  // namespace warpmeter
