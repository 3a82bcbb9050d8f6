#include "record/text/file_format.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>
#include <vector>

#include "base/words/human_units.h"
#include "record/text/value_text.h"
#include "warpmeter/columns.h"
#include "warpmeter/end_reason.h"
#include "warpmeter/time_form.h"

namespace warpmeter::inline record {
namespace {

constexpr const char* kReplyIndent = "  ";  // the other direction of a biflow stands below, a little in

const std::vector<TableColumn>& table_columns() {
  // title, text, rank, shortens, warns
  static const std::vector<TableColumn> columns = {
      {"SOURCE", true, 0, true, false},     {"DESTINATION", true, 0, true, false},
      {"PROTO", true, 4, false, false},     {"START (UTC)", false, 6, false, false},
      {"DURATION", false, 5, false, false}, {"PACKETS", false, 0, false, false},
      {"BYTES", false, 0, false, false},    {"RETRANS", false, 0, false, true},
      {"DUP", false, 1, false, true},       {"OOO", false, 2, false, true},
      {"MISSING", false, 3, false, true},   {"KEEP", false, 10, false, false},
      {"ZWIN", false, 8, false, true},      {"FLAGS", false, 9, false, false},
      {"ENDED BY", true, 7, false, false}};
  return columns;
}

// And those that are noted of flows: labels stay, fields go before much else does.
std::vector<TableColumn> table_columns_of(const RecordLayout& layout) {
  constexpr int kFieldRank = 5;
  std::vector<TableColumn> columns = table_columns();
  for (const auto& column : layout.extra) {
    if (!column->annotation()) continue;
    std::string title(column->name());
    std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    columns.push_back({std::move(title), true, column->is_list() ? 0 : kFieldRank, true, false});
  }
  return columns;
}

void add_annotations(const RecordLayout& layout, const Annotations& annotations, std::vector<std::string>& row) {
  for (const auto& column : layout.extra) {
    if (!column->annotation()) continue;
    std::string text;
    if (column->is_list()) text = fmt::format("{}", fmt::join(annotations.list_of(*column->annotation()), ";"));
    else text = annotations.first_of(*column->annotation());
    row.push_back(text.empty() ? "." : std::move(text));
  }
}

std::string endpoint(const std::uint8_t (&address)[16], const std::uint8_t (&port)[2], const FlowKey& key,
                     bool with_port) {
  char text[kAddressText];
  std::string host(text, write_address(text, address, key.version));
  if (!with_port) return host;
  if (key.version == 6) return fmt::format("[{}]:{}", host, port_number(port));
  return fmt::format("{}:{}", host, port_number(port));
}

std::string protocol_name(std::uint8_t protocol) {
  switch (protocol) {
    case kProtocolIcmp: return "icmp";
    case kProtocolTcp: return "tcp";
    case kProtocolUdp: return "udp";
    case kProtocolDccp: return "dccp";
    case kProtocolIcmpV6: return "icmp6";
    case kProtocolSctp: return "sctp";
    case kProtocolUdpLite: return "udplite";
    default: return std::to_string(protocol);
  }
}

std::string time_of_day(std::int64_t ns) {
  constexpr std::int64_t kMsPerDay = 86'400'000;
  std::int64_t ms = (ns / 1'000'000) % kMsPerDay;
  if (ms < 0) ms += kMsPerDay;
  return fmt::format("{:02}:{:02}:{:02}.{:03}", ms / 3'600'000, ms / 60'000 % 60, ms / 1000 % 60, ms % 1000);
}

// As tcpdump writes them, in the order of the bits.
std::string flag_letters(std::uint8_t flags) {
  constexpr char kLetters[] = "FSRPAUEC";
  std::string text;
  for (int bit = 0; bit < 8; ++bit) text += flags >> bit & 1 ? kLetters[bit] : '.';
  return text;
}

std::vector<std::string> row_of(const FlowRecord& r, std::uint32_t absent) {
  const bool tcp = r.key.protocol == kProtocolTcp;
  const bool icmp = r.key.protocol == kProtocolIcmp || r.key.protocol == kProtocolIcmpV6;
  const bool ports = !icmp && (port_number(r.key.source_port) || port_number(r.key.destination_port));
  absent |= r.absent;
  // Zeros step back, so that what happened stands out.
  const auto trouble = [&](std::string_view column) {
    const auto value = column_value(column_number(column), r, absent);
    if (!value) return std::string("-");
    return *value ? std::to_string(*value) : std::string(".");
  };
  return {endpoint(r.key.source, r.key.source_port, r.key, ports),
          endpoint(r.key.destination, r.key.destination_port, r.key, ports),
          protocol_name(r.key.protocol),
          time_of_day(r.start_ns),
          human_span(span_between(r.start_ns, r.end_ns)),
          std::to_string(r.packets),
          std::to_string(r.bytes),
          trouble("retransmitted_segments"),
          trouble("duplicate_packets"),
          trouble("out_of_order_segments"),
          trouble("missing_bytes"),
          trouble("keep_alive_segments"),
          trouble("zero_window_count"),
          tcp ? flag_letters(r.tcp_flags) : "-",
          std::string(end_reason_words(static_cast<std::uint8_t>(r.end_reason)))};
}

using TableRow = std::vector<std::string>;

class TableSection : public RecordSection {
 public:
  explicit TableSection(const RecordLayout& layout) : layout_(layout) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override { write_annotated(record, reverse, {}); }
  // What is noted of a biflow stands in its first row.
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override {
    TableRow first = row_of(record, layout_.absent);
    add_annotations(layout_, annotations, first);
    add_row(std::move(first));
    if (reverse) {
      TableRow row = row_of(*reverse, layout_.absent);
      row.front().insert(0, kReplyIndent);
      add_annotations(layout_, {}, row);
      add_row(std::move(row));
    }
    ends_.push_back(rows_.size());
  }
  std::size_t bytes() const override { return bytes_; }

  // Calls give(row) for each row of one record after the other while more(), but of one at least. They are gone then.
  template <class Give, class More>
  void take(Give give, More more) {
    if (ends_.empty()) return;
    do {
      for (; at_ < ends_[taken_]; ++at_) {
        bytes_ -= size_of(rows_[at_]);
        give(std::move(rows_[at_]));
      }
    } while (++taken_ < ends_.size() && more());
    if (taken_ < ends_.size()) return;
    rows_.clear();
    ends_.clear();
    at_ = taken_ = 0;
  }

 private:
  static std::size_t size_of(const TableRow& row) {
    std::size_t size = sizeof row;
    for (const std::string& cell : row) size += sizeof cell + cell.size();
    return size;
  }
  void add_row(TableRow row) {
    bytes_ += size_of(row);
    rows_.push_back(std::move(row));
  }

  const RecordLayout layout_;
  std::vector<TableRow> rows_;
  std::vector<std::size_t> ends_;   // of each record's rows
  std::size_t at_ = 0, taken_ = 0;  // of rows and records
  std::size_t bytes_ = 0;
};

class TableFile : public FormattedFile {
 public:
  TableFile(const RecordFormat& format, const RecordLayout& layout, OutputFile& file, TableStyle style)
      : format_(format),
        file_(file),
        table_(table_columns_of(layout), style, [&file](std::string_view line) { file.write(line); }) {}

  const RecordFormat& format() const override { return format_; }
  void begin() override {}
  void fill(RecordSection& section, std::uint64_t full) override {
    static_cast<TableSection&>(section).take([this](TableRow row) { table_.add(std::move(row)); },
                                             [this, full] { return file_.bytes() < full; });
  }
  void end() override { table_.end(); }

 private:
  const RecordFormat& format_;
  OutputFile& file_;
  TextTable table_;
};

class TableFormat : public FileFormat {
 public:
  TableFormat(const RecordLayout& layout, TableStyle style) : layout_(layout), style_(style) {}

  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<TableSection>(layout_); }
  std::unique_ptr<FormattedFile> new_file(OutputFile& file) const override {
    return std::make_unique<TableFile>(*this, layout_, file, style_);
  }

 private:
  const RecordLayout layout_;
  const TableStyle style_;
};

}  // namespace

std::unique_ptr<FileFormat> make_table_format(const RecordLayout& layout, TableStyle style) {
  return std::make_unique<TableFormat>(layout, style);
}

}  // namespace warpmeter::inline record
