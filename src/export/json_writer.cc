#include "export/json_writer.h"

#include <algorithm>
#include <cstring>

#include "export/address_text.h"
#include "export/number_text.h"
#include "export/text_section.h"
#include "warpmeter/columns.h"

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

char* write_values(char* to, const FlowRecord& record, std::uint32_t absent, std::string_view prefix = "") {
  for_each_column(record, absent | record.absent, [&to, prefix](auto column, Value value) {
    to = write_field(to, kColumns[column].name, value, prefix);
  });
  return to;
}

char* write_reverse(char* to, const FlowRecord* reverse, std::uint32_t absent) {
  const FlowRecord nothing;
  to = write_field(to, kKeyColumns[5], reverse ? Value(reverse->start_ns) : std::nullopt, kReversePrefix);
  to = write_field(to, kKeyColumns[6], reverse ? Value(reverse->end_ns) : std::nullopt, kReversePrefix);
  return write_values(to, reverse ? *reverse : nothing, reverse ? absent : ~std::uint32_t{0}, kReversePrefix);
}

char* write_line(char* to, const FlowRecord& record, const FlowRecord* reverse, const RecordLayout& layout) {
  const FlowKey& key = record.key;
  *to++ = '{';
  to = write_address_field(to, kKeyColumns[0], key.source, key.version);
  to = write_address_field(to, kKeyColumns[1], key.destination, key.version);
  to = write_field(to, kKeyColumns[2], port_number(key.source_port));
  to = write_field(to, kKeyColumns[3], port_number(key.destination_port));
  to = write_field(to, kKeyColumns[4], key.protocol);
  to = write_field(to, kKeyColumns[5], record.start_ns);
  to = write_field(to, kKeyColumns[6], record.end_ns);
  to = write_values(to, record, layout.absent);
  if (layout.vlan) to = write_field(to, kVlanColumn, port_number(key.vlan));
  if (layout.biflow) to = write_reverse(to, reverse, layout.absent);
  to[-1] = '}';
  *to++ = '\n';
  return to;
}

}  // namespace

void JsonWriter::write(const FlowRecord& record, const FlowRecord* reverse) {
  output_.used(write_line(output_.room(), record, reverse, layout_));
}

std::unique_ptr<RecordSection> JsonWriter::new_section() const {
  return std::make_unique<TextSection>(write_line, layout_);
}

void JsonWriter::append(RecordSection& section) { static_cast<TextSection&>(section).append_to(output_); }

}  // namespace warpmeter
