#include "export/csv_writer.h"

#include <optional>
#include <string>

#include "export/address_text.h"
#include "export/number_text.h"
#include "export/text_section.h"
#include "export/time_text.h"
#include "warpmeter/columns.h"
#include "warpmeter/community_id.h"

namespace warpmeter {
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

template <TimeForm kForm>
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
  to = write_moment<kForm>(to, record.start_ns);
  *to++ = ',';
  to = write_moment<kForm>(to, record.end_ns);
  to = write_values<kForm>(to, record, layout.absent);
  if (layout.vlan) {
    *to++ = ',';
    to = write_number(to, port_number(key.vlan));
  }
  if (layout.biflow) to = write_reverse<kForm>(to, reverse, layout.absent);
  if (layout.community_id) {
    *to++ = ',';
    to = write_community_id(to, key, *layout.community_id);
  }
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

// The times and what stands behind them.
std::string direction_header(TimeForm form, std::string_view prefix) {
  const TimeNames times = time_names(form);
  std::string header;
  for (const std::string_view name : {times.start, times.end}) ((header += prefix) += name) += ',';
  for (std::size_t i = 0; i < kColumns.size(); ++i) ((header += prefix) += column_name(i, form)) += ',';
  return header;
}

}  // namespace

CsvWriter::CsvWriter(OutputFile& output, const RecordLayout& layout)
    : output_(output), layout_(layout), write_line_(line_writer(layout.times)) {}

void CsvWriter::begin() {
  std::string header;
  for (std::size_t i = 0; i < kKeyParts; ++i) (header += kKeyColumns[i]) += ',';
  header += direction_header(layout_.times, "");
  if (layout_.vlan) (header += kVlanColumn) += ',';
  if (layout_.biflow) header += direction_header(layout_.times, kReversePrefix);
  if (layout_.community_id) (header += kCommunityIdColumn) += ',';
  header.back() = '\n';
  output_.write(header);
}

void CsvWriter::write(const FlowRecord& record, const FlowRecord* reverse) {
  output_.used(write_line_(output_.room(), record, reverse, layout_));
}

std::unique_ptr<RecordSection> CsvWriter::new_section() const {
  return std::make_unique<TextSection>(write_line_, layout_);
}

void CsvWriter::append(RecordSection& section) { static_cast<TextSection&>(section).append_to(output_); }

}  // namespace warpmeter
