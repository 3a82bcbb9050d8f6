#include "export/json_writer.h"

#include <algorithm>
#include <cstring>

#include "export/address_text.h"
#include "export/number_text.h"
#include "export/text_section.h"
#include "export/time_text.h"
#include "warpmeter/columns.h"
#include "warpmeter/community_id.h"

namespace warpmeter {
namespace {

// The names and addresses hold nothing that JSON would have to escape.
char* write_name(char* to, std::string_view prefix, std::string_view name) {
  *to++ = '"';
  to = std::copy(prefix.begin(), prefix.end(), to);
  to = std::copy(name.begin(), name.end(), to);
  *to++ = '"';
  *to++ = ':';
  return to;
}

char* write_address_field(char* to, std::string_view name, const std::uint8_t (&address)[16], std::uint8_t version) {
  to = write_name(to, "", name);
  *to++ = '"';
  to = write_address(to, address, version);
  *to++ = '"';
  *to++ = ',';
  return to;
}

using Value = std::optional<std::int64_t>;

char* write_field(char* to, std::string_view name, Value value, std::string_view prefix = "") {
  to = write_name(to, prefix, name);
  if (value) {
    to = write_number(to, *value);
  } else {
    std::memcpy(to, "null", 4);
    to += 4;
  }
  *to++ = ',';
  return to;
}

template <TimeForm kForm>
char* write_moment_field(char* to, std::string_view name, Value ns, std::string_view prefix) {
  if (kForm != TimeForm::iso || !ns) return write_field(to, name, ns ? in_unit_of(kForm, *ns) : ns, prefix);
  to = write_name(to, prefix, name);
  *to++ = '"';
  to = write_moment<kForm>(to, *ns);
  *to++ = '"';
  *to++ = ',';
  return to;
}

// The times and what stands behind them; of no record, nulls.
template <TimeForm kForm>
char* write_direction(char* to, const FlowRecord* record, std::uint32_t absent, std::string_view prefix) {
  constexpr TimeNames kNames = time_names(kForm);
  to = write_moment_field<kForm>(to, kNames.start, record ? Value(record->start_ns) : std::nullopt, prefix);
  to = write_moment_field<kForm>(to, kNames.end, record ? Value(record->end_ns) : std::nullopt, prefix);
  const FlowRecord nothing;
  if (!record) absent = ~std::uint32_t{0};
  for_each_column(
      record ? *record : nothing, absent | (record ? record->absent : 0), [&to, prefix](auto column, Value value) {
        to = write_field(to, column_name(column, kForm), value ? value_in(kForm, column, *value) : value, prefix);
      });
  return to;
}

template <TimeForm kForm>
char* write_duration(char* to, const FlowRecord* record, std::string_view prefix) {
  constexpr std::string_view kName = time_names(kForm).duration;
  return write_field(to, kName, record ? Value(duration_in(kForm, record->start_ns, record->end_ns)) : std::nullopt,
                     prefix);
}

template <TimeForm kForm>
char* write_line(char* to, const FlowRecord& record, const FlowRecord* reverse, const RecordLayout& layout) {
  const FlowKey& key = record.key;
  *to++ = '{';
  to = write_address_field(to, kKeyColumns[0], key.source, key.version);
  to = write_address_field(to, kKeyColumns[1], key.destination, key.version);
  to = write_field(to, kKeyColumns[2], port_number(key.source_port));
  to = write_field(to, kKeyColumns[3], port_number(key.destination_port));
  to = write_field(to, kKeyColumns[4], key.protocol);
  to = write_direction<kForm>(to, &record, layout.absent, "");
  if (layout.vlan) to = write_field(to, kVlanColumn, port_number(key.vlan));
  if (layout.biflow) to = write_direction<kForm>(to, reverse, layout.absent, kReversePrefix);
  to = write_duration<kForm>(to, &record, "");
  if (layout.biflow) to = write_duration<kForm>(to, reverse, kReversePrefix);
  if (layout.community_id) {
    to = write_name(to, "", kCommunityIdColumn);
    *to++ = '"';
    to = write_community_id(to, key, *layout.community_id);
    *to++ = '"';
    *to++ = ',';
  }
  to[-1] = '}';
  *to++ = '\n';
  return to;
}

LineWriter line_writer(TimeForm form) {
  switch (form) {
    case TimeForm::us: return write_line<TimeForm::us>;
    case TimeForm::iso: return write_line<TimeForm::iso>;
    case TimeForm::ns: break;
  }
  return write_line<TimeForm::ns>;
}

}  // namespace

JsonWriter::JsonWriter(OutputFile& output, const RecordLayout& layout)
    : output_(output), layout_(layout), write_line_(line_writer(layout.times)) {}

void JsonWriter::write(const FlowRecord& record, const FlowRecord* reverse) {
  output_.used(write_line_(output_.room(), record, reverse, layout_));
}

std::unique_ptr<RecordSection> JsonWriter::new_section() const {
  return std::make_unique<TextSection>(write_line_, layout_);
}

void JsonWriter::append(RecordSection& section) { static_cast<TextSection&>(section).append_to(output_); }

}  // namespace warpmeter
