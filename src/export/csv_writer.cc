#include "export/csv_writer.h"

#include <optional>
#include <string>

#include "export/address_text.h"
#include "export/number_text.h"
#include "export/text_section.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

// The columns behind the times.
char* write_values(char* to, const FlowRecord& record, std::uint32_t absent) {
  for_each_column(
      record, absent | record.absent, [&to](auto, std::optional<std::int64_t> value) __attribute__((always_inline)) {
        *to++ = ',';
        if (value) to = write_number(to, *value);
      });
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

char* write_line(char* to, const FlowRecord& record, const FlowRecord* reverse, const RecordLayout& layout) {
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
  to = write_number(to, record.start_ns);
  *to++ = ',';
  to = write_number(to, record.end_ns);
  to = write_values(to, record, layout.absent);
  if (layout.vlan) {
    *to++ = ',';
    to = write_number(to, port_number(key.vlan));
  }
  if (layout.biflow) to = write_reverse(to, reverse, layout.absent);
  *to++ = '\n';
  return to;
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
  output_.used(write_line(output_.room(), record, reverse, layout_));
}

std::unique_ptr<RecordSection> CsvWriter::new_section() const {
  return std::make_unique<TextSection>(write_line, layout_);
}

void CsvWriter::append(RecordSection& section) { static_cast<TextSection&>(section).append_to(output_); }

}  // namespace warpmeter
