#include "export/csv_writer.h"

#include <charconv>
#include <string>

#include "export/address_text.h"

namespace warpmeter {
namespace {

constexpr int kNumberText = 20;

template <class T>
char* write_number(char* to, T value) {
  return std::to_chars(to, to + kNumberText, value).ptr;
}

}  // namespace

void CsvWriter::begin() {
  std::string header;
  for (const char* name : kKeyColumns) (header += name) += ',';
  for (const Column& column : columns_) (header += column.name) += ',';
  if (layout_.vlan) (header += kVlanColumn) += ',';
  header.back() = '\n';
  output_.write(header);
}

void CsvWriter::write(const FlowRecord& record) {
  const FlowKey& key = record.key;
  char* to = output_.room();
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
  to = write_number(to, record.start_ns);
  *to++ = ',';
  to = write_number(to, record.end_ns);
  for (const Column& column : columns_) {
    *to++ = ',';
    if (const auto value = column.value(record)) to = write_number(to, *value);
  }
  if (layout_.vlan) {
    *to++ = ',';
    to = write_number(to, port_number(key.vlan));
  }
  *to++ = '\n';
  output_.used(to);
}

}  // namespace warpmeter
