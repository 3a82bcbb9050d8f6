// Rows of values as text: times of other schemas, and a log of Zeek, whose header tells names and types.
#include "command/show/row_output.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace warpmeter {
namespace {

class Text : public ByteSink {
 public:
  void write(const void* bytes, std::size_t count) override { text.append(static_cast<const char*>(bytes), count); }
  std::string text;
};

std::string written(Format format, TimeForm times, const std::vector<RowColumn>& columns,
                    const std::vector<std::vector<RowValue>>& rows) {
  Text sink;
  OutputOptions options;
  options.format = format;
  options.times = times;
  const auto output = make_row_output(options, sink);
  output->begin(columns);
  for (const auto& row : rows) output->write(row);
  output->end();
  return sink.text;
}

RowColumn seconds(TimeForm times, FieldType type = FieldType::time) {
  return {.name = "ts", .type = type, .time_text = TimeText::seconds, .times = times};
}

std::string second_of(std::int64_t value, TimeForm times) {
  const std::string text = written(Format::csv, times, {seconds(times)}, {{value}});
  return text.substr(3, text.size() - 4);  // "ts\n"
}

TEST(RowOutput, SecondsHaveAllDecimals) {
  EXPECT_EQ(second_of(1'700'000'000'123'456'789, TimeForm::ns), "1700000000.123456789");
  EXPECT_EQ(second_of(1'700'000'000'123'456, TimeForm::us), "1700000000.123456");
  EXPECT_EQ(second_of(0, TimeForm::ns), "0.000000000");
  EXPECT_EQ(second_of(7, TimeForm::us), "0.000007");
  EXPECT_EQ(second_of(-1'500'000'000, TimeForm::ns), "-1.500000000");
  EXPECT_EQ(second_of(-1, TimeForm::ns), "-0.000000001");
  EXPECT_EQ(second_of(std::numeric_limits<std::int64_t>::min(), TimeForm::ns), "-9223372036.854775808");
}

TEST(RowOutput, OtherFormsOfTimesInJson) {
  const RowColumn utc{
      .name = "event.start", .type = FieldType::time, .time_text = TimeText::utc, .times = TimeForm::us};
  EXPECT_EQ(
      written(Format::json, TimeForm::us, {seconds(TimeForm::us), utc}, {{std::int64_t{1'500'000}, std::int64_t{7}}}),
      "{\"ts\":1.500000,\"event.start\":\"1970-01-01T00:00:00.000007000Z\"}\n");
  EXPECT_EQ(written(Format::json, TimeForm::us, {seconds(TimeForm::us), utc}, {{RowValue(), RowValue()}}),
            "{\"ts\":null,\"event.start\":null}\n");
}

TEST(RowOutput, LogsOfZeekTellNamesAndTypes) {
  const std::vector<RowColumn> columns = {seconds(TimeForm::ns),
                                          seconds(TimeForm::ns, FieldType::span),
                                          {.name = "id.orig_h", .type = FieldType::address},
                                          {.name = "id.orig_p", .type = FieldType::port},
                                          {.name = "proto", .type = FieldType::text, .zeek_type = "enum"},
                                          {.name = "n", .type = FieldType::bytes},
                                          {.name = "share", .type = FieldType::share},
                                          {.name = "labels", .type = FieldType::texts},
                                          {.name = "host", .type = FieldType::text}};
  const std::string text = written(Format::zeek, TimeForm::ns, columns,
                                   {{std::int64_t{1}, std::int64_t{2}, std::string("::1"), std::int64_t{80},
                                     std::string("tcp"), std::int64_t{0}, 0.5, std::string("a;b"), std::string("-")},
                                    std::vector<RowValue>(columns.size())});
  EXPECT_EQ(text,
            "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n"
            "#fields\tts\tts\tid.orig_h\tid.orig_p\tproto\tn\tshare\tlabels\thost\n"
            "#types\ttime\tinterval\taddr\tport\tenum\tcount\tdouble\tset[string]\tstring\n"
            "0.000000001\t0.000000002\t::1\t80\ttcp\t0\t0.500000000\ta,b\t\\x2d\n"
            "-\t-\t-\t-\t-\t-\t-\t-\t-\n");
}

}  // namespace
}  // namespace warpmeter
