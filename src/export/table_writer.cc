#include "export/table_writer.h"

#include <fmt/format.h>

#include <algorithm>

#include "export/address_text.h"
#include "warpmeter/columns.h"
#include "warpmeter/end_reason_words.h"
#include "warpmeter/human_units.h"

namespace warpmeter {
namespace {

constexpr std::size_t kRowsForWidths = 1000;
constexpr std::size_t kTextColumns = 3;  // these are left-aligned, numbers to the right

constexpr const char* kReplyIndent = "  ";  // the other direction of a biflow stands below, a little in

const std::vector<std::string> kHeader = {"SOURCE",  "DESTINATION", "PROTO",   "START (UTC)", "DURATION",
                                          "PACKETS", "BYTES",       "RETRANS", "DUP",         "OOO",
                                          "MISSING", "KEEP",        "ZWIN",    "FLAGS",       "ENDED BY"};

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
          human_span(r.end_ns - r.start_ns),
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

}  // namespace

void TableWriter::begin() { waiting_.push_back(kHeader); }

void TableWriter::write(const FlowRecord& record, const FlowRecord* reverse) {
  add_row(row_of(record, layout_.absent));
  if (!reverse) return;
  Row row = row_of(*reverse, layout_.absent);
  row.front().insert(0, kReplyIndent);
  add_row(std::move(row));
}

void TableWriter::add_row(Row row) {
  if (!widths_.empty()) return write_row(row);
  waiting_.push_back(std::move(row));
  if (waiting_.size() > kRowsForWidths) settle_widths();
}

void TableWriter::end() {
  if (widths_.empty()) settle_widths();
}

void TableWriter::settle_widths() {
  widths_.assign(kHeader.size(), 0);
  for (const Row& row : waiting_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::max(widths_[i], row[i].size());
  }
  for (const Row& row : waiting_) write_row(row);
  waiting_.clear();
}

void TableWriter::write_row(const Row& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const bool last = i + 1 == row.size();
    if (last) line += row[i];
    else if (i < kTextColumns) line += fmt::format("{:<{}}  ", row[i], widths_[i]);
    else line += fmt::format("{:>{}}  ", row[i], widths_[i]);
  }
  output_.write(line + '\n');
}

}  // namespace warpmeter
