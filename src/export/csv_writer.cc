#include "export/csv_writer.h"

#include <charconv>
#include <string>

#include "export/address_text.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

constexpr int kNumberText = 20;

template <class T>
char* write_number(char* to, T value) {
  return std::to_chars(to, to + kNumberText, value).ptr;
}

// The columns behind the times.
char* write_values(char* to, const FlowRecord& record, std::uint32_t absent) {
  absent |= record.absent;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    *to++ = ',';
    if (const auto value = column_value(i, record, absent)) to = write_number(to, *value);
  }
  return to;
}

char* write_reverse(char* to, const FlowRecord* reverse, std::uint32_t absent) {
  if (!reverse) {  // a comma for each of its columns, times included
    for (std::size_t i = 0; i < kColumns.size() + 2; ++i) *to++ = ',';
    return to;
  }
  *to++ = ',';
  to = write_number(to, reverse->start_ns);
  *to++ = ',';
  to = write_number(to, reverse->end_ns);
  return write_values(to, *reverse, absent);
}

}  // namespace

void CsvWriter::begin() {
  std::string header;
  for (const std::string_view name : kKeyColumns) (header += name) += ',';
  for (const Column& column : kColumns) (header += column.name) += ',';
  if (layout_.vlan) (header += kVlanColumn) += ',';
  if (layout_.biflow) {
    ((header += kReversePrefix) += "start_ns,") += kReversePrefix;
    header += "end_ns,";
    for (const Column& column : kColumns) ((header += kReversePrefix) += column.name) += ',';
  }
  header.back() = '\n';
  output_.write(header);
}

void CsvWriter::write(const FlowRecord& record, const FlowRecord* reverse) {
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
  to = write_values(to, record, layout_.absent);
  if (layout_.vlan) {
    *to++ = ',';
    to = write_number(to, port_number(key.vlan));
  }
  if (layout_.biflow) to = write_reverse(to, reverse, layout_.absent);
  *to++ = '\n';
  output_.used(to);
}

}  // namespace warpmeter
