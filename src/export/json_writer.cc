#include "export/json_writer.h"

#include <charconv>
#include <cstring>

#include "export/address_text.h"

namespace warpmeter {
namespace {

constexpr int kNumberText = 20;

// The names and addresses hold nothing that JSON would have to escape.
char* write_name(char* to, const char* name) {
  *to++ = '"';
  const std::size_t length = std::strlen(name);
  std::memcpy(to, name, length);
  to += length;
  *to++ = '"';
  *to++ = ':';
  return to;
}

char* write_address_field(char* to, const char* name, const std::uint8_t (&address)[16], std::uint8_t version) {
  to = write_name(to, name);
  *to++ = '"';
  to = write_address(to, address, version);
  *to++ = '"';
  *to++ = ',';
  return to;
}

char* write_field(char* to, const char* name, std::optional<std::int64_t> value) {
  to = write_name(to, name);
  if (value) {
    to = std::to_chars(to, to + kNumberText, *value).ptr;
  } else {
    std::memcpy(to, "null", 4);
    to += 4;
  }
  *to++ = ',';
  return to;
}

}  // namespace

void JsonWriter::write(const FlowRecord& record) {
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
  for (const Column& column : columns_) to = write_field(to, column.name, column.value(record));
  if (layout_.vlan) to = write_field(to, kVlanColumn, port_number(key.vlan));
  to[-1] = '}';
  *to++ = '\n';
  output_.used(to);
}

}  // namespace warpmeter
