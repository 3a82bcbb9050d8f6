#include "app/cli/option_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "core/noted_columns.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline app {
namespace {

constexpr UnitOfOptions kUnits[] = {{"SIZE", "bytes; with K, M, G, T (1024s) or KB, MB, GB, TB (1000s): 64M, 1.5GiB"},
                                    {"TIME", "seconds; with ns, us, ms, s, m (minutes), h, d: 300, 1.5s, 100ms, 5m"},
                                    {"N", "a whole number; with K, M, G (1000s): 500K"}};

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_part(text[at - 1])) && (end == text.size() || !is_word_part(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string positional_in_usage(const CLI::Option& option) {
  const std::string name = option.get_name() + (option.get_expected_max() > 1 ? "..." : "");
  return option.get_required() ? name : "[" + name + "]";
}

std::vector<OptionGroup> option_groups(const CLI::App& command) {
  std::vector<std::string> names = command.get_groups();
  const auto rest = std::stable_partition(names.begin(), names.end(), [](const auto& g) { return g != "Options"; });
  const bool only_rest = rest == names.begin();
  std::vector<OptionGroup> groups;
  for (const std::string& name : names) {
    auto options = command.get_options(
        [&name](const CLI::Option* option) { return option->get_group() == name && option->nonpositional(); });
    if (options.empty() || name.empty()) continue;
    groups.push_back({name == "Options" && !only_rest ? "Others" : name, std::move(options)});
  }
  return groups;
}

// CLI11 tells the words as "TEXT:{a,b,c}".
std::vector<std::string> value_words(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.rfind('}');
  std::vector<std::string> words;
  if (open == std::string::npos || close == std::string::npos) return words;
  for (std::size_t from = open + 1; from < close;) {
    const std::size_t comma = std::min(type.find(',', from), close);
    words.push_back(type.substr(from, comma - from));
    from = comma + 1;
  }
  return words;
}

// Without what CLI11 appends: the words, or the bounds, that a value is checked against.
std::string value_name(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  if (!value_words(option).empty()) return "WORD";
  const std::string type = option.get_type_name();
  std::size_t end = type.size();
  for (const char* check : {":UINT in ", ":INT in ", ":FLOAT in "}) end = std::min(end, type.find(check));
  return type.substr(0, end);
}

std::string explanation(const CLI::Option& option) {
  const std::vector<std::string> words = value_words(option);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return (text.empty() ? "" : text + ": ") + option.get_description();
}

std::vector<UnitOfOptions> units_of(const CLI::App& command, std::string_view more) {
  std::vector<UnitOfOptions> units;
  for (const UnitOfOptions& unit : kUnits) {
    const auto users = command.get_options([&](const CLI::Option* o) {
      return o->nonpositional() && o->get_type_size() != 0 && has_word(o->get_type_name(), unit.name);
    });
    if (!users.empty() || has_word(more, unit.name)) units.push_back(unit);
  }
  return units;
}

// "  COMMAND  what it does"; a line that is deeper goes on with what the one above does.
std::vector<Example> examples_of(const CLI::App& command) {
  constexpr std::string_view kTitle = "Examples:\n";
  const std::string footer = command.get_footer();
  std::vector<Example> examples;
  const std::size_t title = footer.find(kTitle);
  if (title == std::string::npos) return examples;
  std::istringstream lines(footer.substr(title + kTitle.size()));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) break;
    const std::size_t gap = indent == 2 ? line.find("  ", indent) : 0;
    const std::size_t meaning = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
    if (indent == 2) examples.push_back({line.substr(indent, gap - indent), ""});
    if (meaning == std::string::npos || examples.empty()) continue;
    std::string& all = examples.back().meaning;
    all += (all.empty() ? "" : " ") + line.substr(meaning);
  }
  return examples;
}

const std::string_view kFilterHelp = R"(Filters are tests joined by and, or, not, ( ):
  COLUMN = != < <= > >= VALUE   bytes as SIZE, other counts as N, times as TIME, shares as 1.5% or 0.015
  COLUMN < COLUMN               of the same kind: packets > data_segments, src_port = dst_port
  duration_ns > 5000000         a plain number: nanoseconds, as behind connection_ns; duration_us: microseconds
  COLUMN in (VALUE, ...)        one of them; not in: none of them; src_addr in 10.0.0.0/8: of that prefix, as with =
  host 10.0.0.1                 either end; or net 10.0.0.0/8, ip, addr, port 443, port in (80, 443)
  src net 10.0.0.0/8            one end; or src host, src ip, dst port; src or dst port: either
  start >= 2026-01-02T03:04:05  UTC, or "2026-01-02 03:04:05"; or nanoseconds since 1970, behind start_ns of any size
  last 1h                       flows that ended within this TIME, by the clock of this machine
  tcp_flags has SR              all of these flags (letters of FSRPAUEC); = means these alone
  tcp udp icmp ... ip ip6       protocols and IP versions (ipv4, ipv6 too); proto 47, protocol = gre, 6in4 (41)
  unanswered                    biflows of which the other direction was not seen: tcp and unanswered
  community_id = "1:..."        the flows of that Community ID (seed 0), both directions
  end_reason = idle             or active, end, forced, resources; or as tables say it, with hyphens: end-of-input
  labels = http                 any of the labels; != none of them; labels in (http, dns)
  source_country = DE           of --geo: source_, destination_ or host_ (either end), then country, city, asn, as_org
  tls_sni = "www.example.org"   columns of text that files have beside labels: = != in; other characters in quotes
The = may be left out. Where a column does not apply, or is not known, a test is not met, whatever it asks. Of a biflow
the forward direction is tested; reverse_COLUMN is that of the other. The same filters go behind packets -f,
report -f and show --having, and into Python's show().
)";

const std::string_view kFoldersHelp =
    R"(Folders: all files of Flow Records in them are read, whatever their format, in the order of their names and of
the numbers in these, and in folders below that --date-folders made; other files are passed over and counted. What
extract --rotate -o flows.csv wrote (flows.000001.csv and so on) can be named flows.csv, if there is no file of that
name. A file that is named twice,
be it by a link, is read once; the same flows in two formats are not known for that, and count twice.
)";

const std::string_view kSumsHelp =
    R"(Sums: --sum takes src_addr, dst_addr, addr (both ends), src_addr/24, addr/24:64 (bits of IPv4 and of IPv6),
src_port, dst_port, port, protocol, version, vlan_id, tcp_flags, end_reason, start/60s (intervals of TIME), time/60s
(the same, and a flow counts in each that it lasts in, with its share of the time), labels and columns of text that
files have beside them, and those of --geo: source_country, host_asn (both ends). A flow with two labels counts in the
sums of both. The directions of a biflow count as two flows. Columns, for --columns, --sort and --having: the keys,
flows, packets, bytes, ... retransmission_share, start_ns, end_ns of the sums; and
  share_bytes                   the part of all flows' bytes; or share_flows, share_packets, ...
  bits_per_second               over the interval of a key, else from the first packet to the last; packets_per_second
  mean_X min_X max_X            of the flows: mean_bytes, max_duration; X is a counter or a length of time
  p50_X p95_X p99_X             percentiles of the flows, from p1_ to p99_: p95_duration, p99_handshake_ns
  distinct_KEY                  how many values: distinct_dst_addr, distinct_dst_addr/24, distinct_dst_port
--having filters the sums, before --sort and --top: the language is that of filters. With --aggregate and no --sum it
filters the Flow Records that --aggregate makes.
)";

const std::string_view kShowMemoryHelp =
    R"(Memory: files are read as a stream; --sort and --aggregate keep what matches, about 260 bytes a flow, --top N
only N flows, --sum about 600 bytes a row, with percentiles 8 bytes a flow, with distinct_KEY some 60 bytes a value.
Where --sort does not decide, output order does (Flow Key, start, end).
)";

const std::string_view kShowExamples = R"(Examples:
  warpmeter show flows.csv  a table on a terminal, CSV into a pipe
  warpmeter show flows.csv --top 10 by retransmitted_segments
  warpmeter show flows.csv -f 'tcp and retransmission_share > 1%' --sort bytes
  warpmeter show flows.json --sum src_addr/24,dst_port --top 20 --json
  warpmeter show flows.csv --sum src_addr --having 'packets > 1M' --sort bytes
  warpmeter show flows.csv --sum time/10m,src_addr --top 3 by bytes per time/10m
  warpmeter show flows.csv --geo GeoLite2-ASN.mmdb --sum host_as_org --top 10
  warpmeter show monday.csv tuesday.csv --aggregate -o both.csv)";

std::string columns_help() {
  std::string text =
      "Columns, for --columns, --sort and filters: source, destination (for --columns alone), community_id (not for "
      "--sort)";
  for (const std::string_view key : kKeyColumns) text.append(", ").append(key);
  for (const std::string_view more :
       {std::string_view("duration"), std::string_view("version"), kVlanColumn,
        std::string_view("retransmission_share"), std::string_view("handshake_ns"), kFirstPacketColumn}) {
    text.append(", ").append(more);
  }
  for (const Column& column : kColumns) text.append(", ").append(column.name);
  return text.append(", ").append(kLabelsName) +
         ", and the columns of text that files have beside labels, and those of --geo; and, of biflows, with reverse_ "
         "before them those of "
         "the other direction. CSV and JSON call duration " +
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
