#include "record/text/file_format.h"

#include <algorithm>
#include <cstring>

#include "record/text/line_format.h"
#include "record/text/value_text.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline record {
namespace {

// Never without an address, which memcpy() wants for no bytes, too.
constexpr std::string_view prefix_of(bool reverse) { return reverse ? kReversePrefix : std::string_view(""); }

// The names and addresses hold nothing that JSON would have to escape. Inlined, since names are known when this is
// compiled: to write one is then a few stores.
[[gnu::always_inline]] inline char* write_name(char* to, bool reverse, std::string_view name) {
  const std::string_view prefix = prefix_of(reverse);
  *to++ = '"';
  std::memcpy(to, prefix.data(), prefix.size());
  to += prefix.size();
  std::memcpy(to, name.data(), name.size());
  to += name.size();
  *to++ = '"';
  *to++ = ':';
  return to;
}

char* write_address_field(char* to, std::string_view name, const std::uint8_t (&address)[16], std::uint8_t version) {
  to = write_name(to, false, name);
  *to++ = '"';
  to = write_address(to, address, version);
  *to++ = '"';
  *to++ = ',';
  return to;
}

// Quoted, and escaped.
char* write_text(char* to, std::string_view text) {
  *to++ = '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') *to++ = '\\';
    *to++ = c;
  }
  *to++ = '"';
  return to;
}

char* write_null(char* to) { return std::ranges::copy(std::string_view("null"), to).out; }

char* write_noted(char* to, const ExtraColumn& column, const Annotations& noted) {
  if (!column.is_list()) {
    const std::string_view text = noted.first_of(*column.annotation());
    return text.empty() ? write_null(to) : write_text(to, text);
  }
  *to++ = '[';
  char* const begin = to;
  for (const std::string_view text : noted.list_of(*column.annotation())) {
    if (to != begin) *to++ = ',';
    to = write_text(to, text);
  }
  *to++ = ']';
  return to;
}

// What a column computes needs no escapes.
char* write_computed(char* to, const ExtraColumn& column, const FlowRecord& record, const FlowRecord* reverse,
                     const Annotations& noted) {
  if (column.is_number()) {
    const std::optional<std::int64_t> number = column.number(record, reverse, noted);
    return number ? write_number(to, *number) : write_null(to);
  }
  char* end = column.write(to + 1, record, noted);
  if (end == to + 1) return write_null(to);
  *to = *end = '"';
  return end + 1;
}

char* write_extra_field(char* to, const ExtraColumn& column, const FlowRecord& record, const FlowRecord* reverse,
                        const Annotations& noted) {
  to = write_name(to, false, column.name());
  to = column.annotation() ? write_noted(to, column, noted) : write_computed(to, column, record, reverse, noted);
  *to++ = ',';
  return to;
}

using Value = std::optional<std::int64_t>;

[[gnu::always_inline]] inline char* write_field(char* to, bool reverse, std::string_view name, Value value) {
  to = write_name(to, reverse, name);
  if (value) {
    to = write_number(to, *value);
  } else {
    std::memcpy(to, "null", 4);
    to += 4;
  }
  *to++ = ',';
  return to;
}

template <TimeForm kForm, bool kReverse>
char* write_moment_field(char* to, std::string_view name, Value ns) {
  if (kForm != TimeForm::iso || !ns) return write_field(to, kReverse, name, ns ? in_unit_of(kForm, *ns) : ns);
  to = write_name(to, kReverse, name);
  *to++ = '"';
  to = write_moment<kForm>(to, *ns);
  *to++ = '"';
  *to++ = ',';
  return to;
}

// The times and what stands behind them; of no record, nulls.
template <TimeForm kForm, bool kReverse>
char* write_direction(char* to, const FlowRecord* record, std::uint32_t absent) {
  static const FlowRecord kNothing{};
  constexpr TimeNames kNames = time_names(kForm);
  to = write_moment_field<kForm, kReverse>(to, kNames.start, record ? Value(record->start_ns) : std::nullopt);
  to = write_moment_field<kForm, kReverse>(to, kNames.end, record ? Value(record->end_ns) : std::nullopt);
  absent = record ? absent | record->absent : ~std::uint32_t{0};
  for_each_column(
      record ? *record : kNothing, absent, [&to](auto column, Value value) __attribute__((always_inline)) {
        constexpr std::size_t kColumn = decltype(column)::value;
        constexpr std::string_view kName = column_name(kColumn, kForm);
        to = write_field(to, kReverse, kName, value ? value_in(kForm, kColumn, *value) : value);
      });
  return to;
}

template <TimeForm kForm, bool kReverse>
char* write_duration(char* to, const FlowRecord* record) {
  constexpr std::string_view kName = time_names(kForm).duration;
  const Value duration = record ? Value(duration_in(kForm, record->start_ns, record->end_ns)) : std::nullopt;
  return write_field(to, kReverse, kName, duration);
}

template <TimeForm kForm>
char* write_line(char* to, const FlowRecord& record, const FlowRecord* reverse, const Annotations& noted,
                 const RecordLayout& layout) {
  const FlowKey& key = record.key;
  *to++ = '{';
  to = write_address_field(to, kKeyColumns[0], key.source, key.version);
  to = write_address_field(to, kKeyColumns[1], key.destination, key.version);
  to = write_field(to, false, kKeyColumns[2], port_number(key.source_port));
  to = write_field(to, false, kKeyColumns[3], port_number(key.destination_port));
  to = write_field(to, false, kKeyColumns[4], key.protocol);
  to = write_direction<kForm, false>(to, &record, layout.absent);
  if (layout.vlan) to = write_field(to, false, kVlanColumn, port_number(key.vlan));
  if (layout.biflow) to = write_direction<kForm, true>(to, reverse, layout.absent);
  to = write_duration<kForm, false>(to, &record);
  if (layout.biflow) to = write_duration<kForm, true>(to, reverse);
  for (const auto& column : layout.extra) to = write_extra_field(to, *column, record, reverse, noted);
  to[-1] = '}';
  *to++ = '\n';
  return to;
}

// A field may store its name, two quotes around it, the colon, the comma, and the longest value, perhaps in quotes.
std::size_t most_of_field(std::string_view name, std::size_t value) {
  return name.size() + std::max<std::size_t>(value, 4) + 6;  // "null"
}

std::size_t most_of_direction(TimeForm form, bool reverse) {
  const TimeNames names = time_names(form);
  const std::size_t moment = std::max(kUtcText, kNumberText);
  std::size_t most = most_of_field(names.start, moment) + most_of_field(names.end, moment);
  for (std::size_t i = 0; i < kColumns.size(); ++i) most += most_of_field(column_name(i, form), kNumberText);
  most += most_of_field(names.duration, kNumberText);
  return most + (reverse ? (kColumns.size() + 3) * kReversePrefix.size() : 0);
}

std::size_t most_of_line(const RecordLayout& layout) {
  std::size_t most = 2 + most_of_direction(layout.times, false);  // the braces; for the last comma, the line end
  for (std::size_t i = 0; i < kKeyParts; ++i) most += most_of_field(kKeyColumns[i], i < 2 ? kAddressText : kNumberText);
  if (layout.vlan) most += most_of_field(kVlanColumn, kNumberText);
  if (layout.biflow) most += most_of_direction(layout.times, true);
  for (const auto& column : layout.extra) most += most_of_field(column->name(), column->most());
  return most;
}

LineWriter line_writer(TimeForm form) {
  return with_time_form(form, []<TimeForm kForm> { return LineWriter(write_line<kForm>); });
}

}  // namespace

std::unique_ptr<FileFormat> make_json_format(const RecordLayout& layout) {
  return std::make_unique<LineFormat>(line_writer(layout.times), most_of_line(layout), layout, "");
}

}  // namespace warpmeter::inline record
