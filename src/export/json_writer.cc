#include "export/json_writer.h"

#include <charconv>
#include <cstring>

#include "export/address_text.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

constexpr int kNumberText = 20;

// The names and addresses hold nothing that JSON would have to escape.
char* write_name(char* to, std::string_view prefix, std::string_view name) {
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
  to = write_name(to, {}, name);
  *to++ = '"';
  to = write_address(to, address, version);
  *to++ = '"';
  *to++ = ',';
  return to;
}

using Value = std::optional<std::int64_t>;

char* write_field(char* to, std::string_view name, Value value, std::string_view prefix = {}) {
  to = write_name(to, prefix, name);
  if (value) {
    to = std::to_chars(to, to + kNumberText, *value).ptr;
  } else {
    std::memcpy(to, "null", 4);
    to += 4;
  }
  *to++ = ',';
  return to;
}

char* write_values(char* to, const FlowRecord& record, std::uint32_t absent, std::string_view prefix = {}) {
  absent |= record.absent;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    to = write_field(to, kColumns[i].name, column_value(i, record, absent), prefix);
  }
  return to;
}

char* write_reverse(char* to, const FlowRecord* reverse, std::uint32_t absent) {
  const FlowRecord nothing;
  to = write_field(to, kKeyColumns[5], reverse ? Value(reverse->start_ns) : std::nullopt, kReversePrefix);
  to = write_field(to, kKeyColumns[6], reverse ? Value(reverse->end_ns) : std::nullopt, kReversePrefix);
  return write_values(to, reverse ? *reverse : nothing, reverse ? absent : ~std::uint32_t{0}, kReversePrefix);
}

}  // namespace

void JsonWriter::write(const FlowRecord& record, const FlowRecord* reverse) {
  const FlowKey& key = record.key;
  char* to = output_.room();
  *to++ = '{';
  to = write_address_field(to, kKeyColumns[0], key.source, key.version);
  to = write_address_field(to, kKeyColumns[1], key.destination, key.version);
  to = write_field(to, kKeyColumns[2], port_number(key.source_port));
  to = write_field(to, kKeyColumns[3], port_number(key.destination_port));
  to = write_field(to, kKeyColumns[4], key.protocol);
  to = write_field(to, kKeyColumns[5], record.start_ns);
  to = write_field(to, kKeyColumns[6], record.end_ns);
  to = write_values(to, record, layout_.absent);
  if (layout_.vlan) to = write_field(to, kVlanColumn, port_number(key.vlan));
  if (layout_.biflow) to = write_reverse(to, reverse, layout_.absent);
  to[-1] = '}';
  *to++ = '\n';
  output_.used(to);
}

}  // namespace warpmeter
