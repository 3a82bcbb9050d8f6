#include "record/text/file_format.h"

#include <algorithm>
#include <optional>
#include <string>

#include "record/text/line_format.h"
#include "record/text/value_text.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline record {
namespace {

// The columns behind the times.
template <TimeForm kForm>
char* write_values(char* to, const FlowRecord& record, std::uint32_t absent) {
  for_each_column(
      record,
      absent | record.absent, [&to](auto column, std::optional<std::int64_t> value) __attribute__((always_inline)) {
        *to++ = ',';
        if (value) to = write_number(to, value_in(kForm, column, *value));
      });
  return to;
}

template <TimeForm kForm>
char* write_reverse(char* to, const FlowRecord* reverse, std::uint32_t absent) {
  if (!reverse) {  // a comma for each of its columns, times included
    for (std::size_t i = 0; i < kColumns.size() + 2; ++i) *to++ = ',';
    return to;
  }
  *to++ = ',';
  to = write_moment<kForm>(to, reverse->start_ns);
  *to++ = ',';
  to = write_moment<kForm>(to, reverse->end_ns);
  return write_values<kForm>(to, *reverse, absent);
}

char* write_text(char* to, std::string_view text) { return std::ranges::copy(text, to).out; }

// Most values of most flows, so that a value costs little: a column more is 60 instructions otherwise.
char* write_annex(char* to, const ExtraColumn& column, const Annotations& noted) {
  const Annex* const annex = noted.annex(column.is_reverse());
  if (!annex || !annex->has_value(*column.annex())) return to;
  return column.is_number() ? write_number(to, *annex->number(*column.annex())) : annex->write(to, *column.annex());
}

char* write_extra(char* to, const ExtraColumn& column, const FlowRecord& record, const FlowRecord* reverse,
                  const Annotations& noted) {
  if (column.annex()) return write_annex(to, column, noted);
  if (column.is_number()) {
    const std::optional<std::int64_t> number = column.number(record, reverse, noted);
    return number ? write_number(to, *number) : to;
  }
  if (!column.annotation()) return column.write(to, record, noted);
  if (!column.is_list()) return write_text(to, noted.first_of(*column.annotation()));
  char* const begin = to;
  for (const std::string_view text : noted.list_of(*column.annotation())) {
    if (to != begin) *to++ = ';';
    to = write_text(to, text);
  }
  return to;
}

template <TimeForm kForm>
char* write_line(char* to, const FlowRecord& record, const FlowRecord* reverse, const Annotations& noted,
                 const RecordLayout& layout) {
  const FlowKey& key = record.key;
  to = write_address(to, key.source, key.version);
  *to++ = ',';
  to = write_address(to, key.destination, key.version);
  *to++ = ',';
  to = write_number(to, port_number(key.source_port));
  *to++ = ',';
  to = write_number(to, port_number(key.destination_port));
  *to++ = ',';
  to = write_number(to, key.protocol);
  *to++ = ',';
  to = write_moment<kForm>(to, record.start_ns);
  *to++ = ',';
  to = write_moment<kForm>(to, record.end_ns);
  to = write_values<kForm>(to, record, layout.absent);
  if (layout.vlan) {
    *to++ = ',';
    to = write_number(to, port_number(key.vlan));
  }
  if (layout.biflow) to = write_reverse<kForm>(to, reverse, layout.absent);
  for (const auto& column : layout.extra) {
    *to++ = ',';
    to = write_extra(to, *column, record, reverse, noted);
  }
  *to++ = '\n';
  return to;
}

// What a line may store: of each column the most, with its comma or line end.
std::size_t most_of_line(const RecordLayout& layout) {
  const std::size_t number = kNumberText + 1, moment = std::max(kUtcText, kNumberText) + 1;
  const std::size_t direction = 2 * moment + kColumns.size() * number;
  std::size_t most = 2 * (kAddressText + 1) + (kKeyParts - 2) * number + direction;
  if (layout.vlan) most += number;
  if (layout.biflow) most += direction;
  for (const auto& column : layout.extra) most += column->most() + 1;
  return most;
}

LineWriter line_writer(TimeForm form) {
  return with_time_form(form, []<TimeForm kForm> { return LineWriter(write_line<kForm>); });
}

// The times and what stands behind them.
std::string direction_header(TimeForm form, std::string_view prefix) {
  const TimeNames times = time_names(form);
  std::string header;
  for (const std::string_view name : {times.start, times.end}) ((header += prefix) += name) += ',';
  for (std::size_t i = 0; i < kColumns.size(); ++i) ((header += prefix) += column_name(i, form)) += ',';
  return header;
}

std::string header_line(const RecordLayout& layout) {
  std::string header;
  for (std::size_t i = 0; i < kKeyParts; ++i) (header += kKeyColumns[i]) += ',';
  header += direction_header(layout.times, "");
  if (layout.vlan) (header += kVlanColumn) += ',';
  if (layout.biflow) header += direction_header(layout.times, kReversePrefix);
  for (const auto& column : layout.extra) (header += column->name()) += ',';
  header.back() = '\n';
  return header;
}

}  // namespace

std::unique_ptr<FileFormat> make_csv_format(const RecordLayout& layout) {
  return std::make_unique<LineFormat>(line_writer(layout.times), most_of_line(layout), layout, header_line(layout));
}

}  // namespace warpmeter::inline record
