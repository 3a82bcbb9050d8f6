#include "app/cli/show_help.h"

#include "warpmeter/columns.h"

namespace warpmeter::inline app {

const std::string_view kFilterHelp = R"(Filters are tests joined by and, or, not, ( ):
  COLUMN = != < <= > >= VALUE   bytes as SIZE, other counts as N, times as TIME, shares as 1.5% or 0.015
  duration_ns > 5000000         a plain number: nanoseconds, as behind connection_ns; duration_us: microseconds
  COLUMN in (VALUE, ...)        one of them; src_addr in 10.0.0.0/8: of that prefix, as with =
  start >= 2026-01-02T03:04:05  UTC; or nanoseconds since 1970
  tcp_flags has SR              all of these flags (letters of FSRPAUEC); = means these alone
  addr, net, port               either end: addr 10.0.0.1, net 10.0.0.0/8, port 443, port in (80, 443)
  tcp udp icmp ... ip ip6       protocols and IP versions (ipv4, ipv6 too); proto 47, protocol = gre, 6in4 (41)
  end_reason = idle             or active, end, forced, resources; or as tables say it, with hyphens: end-of-input
The = may be left out. Where a column does not apply, or is not known, a test is not met, whatever it asks. Of a biflow
the forward direction is tested; reverse_COLUMN is that of the other.
)";

const std::string_view kFoldersHelp =
    R"(Folders: all files of Flow Records in them are read, whatever their format, in the order of their names and of
the numbers in these; other files are passed over and counted. What extract --rotate -o flows.csv wrote
(flows.000001.csv and so on) can be named flows.csv, if there is no file of that name. A file that is named twice,
be it by a link, is read once; the same flows in two formats are not known for that, and count twice.
)";

const std::string_view kSumsHelp =
    R"(Sums: --sum takes src_addr, dst_addr, addr (both ends), src_addr/24, addr/24:64 (bits of IPv4 and of IPv6),
src_port, dst_port, port, protocol, version, vlan_id, end_reason, start/60s (intervals of TIME). The directions
of a biflow count as two flows. --having filters the sums, before --sort and --top: the language is that of
filters, its columns are the keys and flows, packets, bytes, ... retransmission_share, start_ns, end_ns of the
sums. With --aggregate and no --sum it filters the Flow Records that --aggregate makes.
)";

const std::string_view kShowMemoryHelp =
    R"(Memory: files are read as a stream; --sort and --aggregate keep what matches, about 260 bytes a flow, --top N
only N flows, --sum about 500 bytes a row. Where --sort does not decide, output order does (Flow Key, start,
end).
)";

const std::string_view kShowExamples = R"(Examples:
  warpmeter show flows.csv  a table on a terminal, CSV into a pipe
  warpmeter show flows.csv --top 10 by retransmitted_segments
  warpmeter show flows.csv -f 'tcp and retransmission_share > 1%' --sort bytes
  warpmeter show flows.json --sum src_addr/24,dst_port --top 20 --json
  warpmeter show flows.csv --sum src_addr --having 'packets > 1M' --sort bytes
  warpmeter show monday.csv tuesday.csv --aggregate -o both.csv)";

std::string columns_help() {
  std::string text = "Columns, for --columns, --sort and filters: source, destination (for --columns alone)";
  for (const std::string_view key : kKeyColumns) text.append(", ").append(key);
  for (const std::string_view more : {std::string_view("duration"), std::string_view("version"), kVlanColumn,
                                      std::string_view("retransmission_share")}) {
    text.append(", ").append(more);
  }
  for (const Column& column : kColumns) text.append(", ").append(column.name);
  return text +
         "; and, of biflows, with reverse_ before them those of the other direction. CSV and JSON call duration " +
         "duration_ns\n";
}

std::string show_help() {
  std::string text = columns_help();
  for (const std::string_view part : {kFilterHelp, kFoldersHelp, kSumsHelp, kShowMemoryHelp, kShowExamples}) {
    text.append("\n").append(part);
  }
  return text;
}

}  // namespace warpmeter::inline app
