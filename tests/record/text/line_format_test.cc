// Lines are written into room that was asked for: as much as their columns can take.
#include "record/text/line_format.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "core/observed_points.h"
#include "record/columns/column_option.h"
#include "support/export_records.h"
#include "support/extra_columns.h"

namespace warpmeter {
namespace {

using test::key_of;

constexpr std::size_t kCharacters = 10'000;

char* write_long_line(char* to, const FlowRecord& record, const FlowRecord*, const Annotations&, const RecordLayout&) {
  to = std::fill_n(to, kCharacters - 1, static_cast<char>('a' + record.packets % 26));
  *to++ = '\n';
  return to;
}

TEST(LineFormat, WritesLinesOfAnyLength) {
  const LineFormat format(write_long_line, kCharacters, {}, "");
  std::vector<FlowRecord> records(100);
  std::string expected;
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].packets = i;
    expected += std::string(kCharacters - 1, static_cast<char>('a' + i % 26)) + '\n';
  }
  const test::ScratchFolder folder;
  OutputFile output(folder.file("out"));
  test::write_all(*format.new_file(output), records);
  output.commit();
  EXPECT_EQ(test::file_text(folder.file("out")), expected);
}

TEST(LineFormat, NoticesALineThatTakesMoreThanItAskedFor) {
  const LineFormat format(write_long_line, kCharacters - 1, {}, "");
  EXPECT_THROW(format.new_section()->write({}, nullptr), std::logic_error);
}

// Every value as long as it can be.
FlowRecord longest_record() {
  constexpr auto kLowest = std::numeric_limits<std::int64_t>::min();
  const char* const address = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff";
  FlowRecord record = test::counted_record(key_of(address, address, 65535, 65535, kProtocolTcp));
  record.key.vlan[0] = record.key.vlan[1] = 0xff;
  record.start_ns = kLowest, record.end_ns = kLowest;
  for (std::uint64_t* counter = &record.packets; counter <= &record.stray_segments; ++counter) *counter = 1ULL << 63;
  record.connection_bytes = record.connection_ns = kLowest;
  record.tcp_flags = 0xff;
  return record;
}

std::size_t most_of_line(Format format, const RecordLayout& layout) {
  return dynamic_cast<LineFormat&>(*make_text_format(format, layout)).most_of_line();
}

TEST(LineFormat, HasRoomForTheLongestLine) {
  ObservedPoints points;
  std::string name(2 * ObservedPoints::kLongestName, '"');  // what a JSON string would have to escape, and CSV to quote
  name[1] = '\\', name[2] = '\n', name[3] = ',', name[4] = '\xff';
  FlowRecord record = longest_record();
  record.arrival = observed_number(5, place_of(points.add(name, 7), false));
  const std::string shown(ObservedPoints::kLongestName, '?');
  for (const TimeForm times : {TimeForm::ns, TimeForm::us, TimeForm::iso}) {
    const ExtraColumns observed = observed_columns(points);
    const RecordLayout layout{.vlan = true,
                              .biflow = true,
                              .times = times,
                              .extra = {test::extra_column("community_id", 65535), observed[0], observed[1]}};
    std::string csv = test::written_biflow(Format::csv, record, &record, layout);
    csv.erase(0, csv.find('\n') + 1);
    EXPECT_TRUE(csv.ends_with("," + shown + ",ingress\n")) << csv;
    EXPECT_LE(csv.size(), most_of_line(Format::csv, layout));
    const std::string json = test::written_biflow(Format::json, record, &record, layout);
    EXPECT_TRUE(json.ends_with(R"(,"interface":")" + shown +
                               R"(","direction":"ingress"})"
                               "\n"))
        << json;
    EXPECT_LE(json.size(), most_of_line(Format::json, layout));
  }
}

TEST(LineFormat, AsksForNoMoreThanTheColumnsOfTheRun) {
  for (const Format format : {Format::csv, Format::json}) {
    const std::size_t one_way = most_of_line(format, {});
    EXPECT_GT(most_of_line(format, {.extra = {test::extra_column("community_id")}}), one_way);
    EXPECT_GT(most_of_line(format, {.vlan = true}), one_way);
    EXPECT_GT(most_of_line(format, {.biflow = true}), one_way * 3 / 2);
  }
}

}  // namespace
}  // namespace warpmeter
