#include "cli/output_words.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <limits>
#include <string_view>

#include "cli/parse_values.h"
#include "pipeline/file_writer.h"
#include "warpmeter/amount.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

struct FormatName {
  Format format;
  std::string_view name;
  std::string_view suffix;  // empty = no file is named so
};

constexpr FormatName kFormats[] = {{Format::csv, "csv", ".csv"},
                                   {Format::json, "json", ".json"},
                                   {Format::ipfix, "ipfix", ".ipfix"},
                                   {Format::parquet, "parquet", ".parquet"},
                                   {Format::table, "table", ""}};

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const FormatName& format : kFormats) names.emplace_back(format.name);
  return names;
}

std::string known_suffixes() {
  std::string text;
  for (const FormatName& format : kFormats) {
    if (!format.suffix.empty()) (text += text.empty() ? "" : ", ") += format.suffix;
  }
  return text;
}

Format format_of(const OutputWords& w) {
  for (const FormatName& format : kFormats) {
    if (w.format == format.name) return format.format;
  }
  if (w.output.empty()) return isatty(STDOUT_FILENO) ? Format::table : Format::csv;
  if (w.output == "-" || w.output.starts_with("/dev/")) return Format::csv;
  for (const FormatName& format : kFormats) {
    if (!format.suffix.empty() && w.output.ends_with(format.suffix)) return format.format;
  }
  throw Error("-o " + w.output + ": which format? Names end in one of " + known_suffixes() + ", or say --format",
              ExitStatus::usage);
}

IpfixProfile profile_of(const std::string& word) {
  if (word == "plain") return IpfixProfile::plain;
  return word == "ntop" ? IpfixProfile::ntop : IpfixProfile::everything;
}

std::chrono::milliseconds milliseconds_of(const char* option, const std::string& word) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::nanoseconds(parse_time(option, word)));
}

// A number alone, or with a unit of size, is a size; with a unit of time, a time. 5m are minutes: 5M is the size.
void set_rotation(const std::string& word, OutputOptions& o) {
  if (word.empty()) return;
  if (o.file.empty() || o.file == "-" || o.file.starts_with("/dev/"))
    throw Error("--rotate goes with -o FILE", ExitStatus::usage);
  const bool number = word.find_first_not_of("0123456789.") == std::string::npos;
  if (read_amount(word, AmountOf::time).state != Amount::State::none && !number) {
    o.rotate_ns = parse_time("--rotate", word);
  } else if (read_amount(word, AmountOf::bytes).state != Amount::State::none) {
    o.rotate_bytes = parse_size("--rotate", word);
  } else {
    throw Error("--rotate " + word + ": neither a size such as 100M nor a time such as 5m or 1h", ExitStatus::usage);
  }
  if (!o.rotate_bytes && !o.rotate_ns) throw Error("--rotate: more than 0", ExitStatus::usage);
}

CollectorOptions collector_of(const OutputWords& w) {
  CollectorOptions c;
  c.protocol = w.netflow_v9 ? ExportProtocol::netflow_v9 : ExportProtocol::ipfix;
  c.address = parse_collector(w.collector, c.protocol);
  if (w.mtu) c.mtu = *w.mtu;
  if (!w.collector_rate.empty()) c.records_per_second = parse_count("--collector-rate", w.collector_rate);
  if (!w.collector_buffer.empty()) c.buffer = parse_size("--collector-buffer", w.collector_buffer);
  if (!w.collector_timeout.empty()) c.timeout = milliseconds_of("--collector-timeout", w.collector_timeout);
  if (!w.template_refresh.empty()) c.template_refresh = milliseconds_of("--template-refresh", w.template_refresh);
  return c;
}

void refuse_collector_options(const OutputWords& w) {
  if (w.netflow_v9 || w.mtu || !w.collector_rate.empty() || !w.collector_buffer.empty() ||
      !w.collector_timeout.empty() || !w.template_refresh.empty()) {
    throw Error("--netflow-v9, --mtu, --template-refresh and --collector-... go with --collector", ExitStatus::usage);
  }
}

}  // namespace

void add_file_options(CLI::App& app, OutputWords& w) {
  app.option_defaults()->group("Output");
  app.add_option("-o,--output", w.output,
                 "where to write Flow Records; " + known_suffixes() +
                     " choose the format, - is standard output (the default: a table on a terminal, else CSV)")
      ->type_name("FILE");
  app.add_option("--format", w.format, "format, whatever the name of the output")->check(CLI::IsMember(format_names()));
  app.add_option("--ipfix-profile", w.ipfix_profile,
                 "elements of our own for what IANA has none for (default), IANA's alone (plain), or those and ntop's "
                 "for retransmissions and segments out of order (ntop)")
      ->check(CLI::IsMember({"default", "plain", "ntop"}));
  add_count(app, "--observation-domain", 0, std::numeric_limits<std::uint32_t>::max(),
            "IPFIX: the number by which collectors tell exporters' streams apart (default 1)",
            [&w](std::uint64_t n) { w.observation_domain = static_cast<std::uint32_t>(n); });
}

void add_export_options(CLI::App& app, OutputWords& w) {
  app.add_option("--rotate", w.rotate,
                 "many files instead of one: a new one beyond this size, such as 100M (NAME.000001.csv), or one for "
                 "each interval of this length, such as 5m or 1h, in which flows ended (NAME.20260131T120000Z.csv)")
      ->type_name("SIZE|TIME");
  app.option_defaults()->group("Collector");
  app.add_option("--collector", w.collector,
                 "send IPFIX to udp://HOST[:PORT] or tcp://HOST[:PORT] (default port 4739); without -o nothing else is "
                 "written")
      ->type_name("URL");
  app.add_flag("--netflow-v9", w.netflow_v9, "NetFlow v9 instead of IPFIX, over UDP (default port 2055)");
  app.add_option("--collector-rate", w.collector_rate,
                 "UDP: records a second, because collectors lose what comes faster; 0 = no limit (default 100K)")
      ->type_name("N");
  add_count(app, "--mtu", kSmallestMtu, kLargestMtu, "UDP: largest IP packet, in bytes (default 1500)",
            [&w](std::uint64_t n) { w.mtu = static_cast<std::uint32_t>(n); });
  app.add_option("--template-refresh", w.template_refresh, "UDP: Templates again after this time (default 60s)")
      ->type_name("TIME");
  app.add_option("--collector-buffer", w.collector_buffer,
                 "TCP: what may wait while the collector does not take it (default 64M)")
      ->type_name("SIZE");
  app.add_option(
         "--collector-timeout", w.collector_timeout,
         "TCP: how long a collector that takes nothing, or does not read to the end, is waited for (default 30s)")
      ->type_name("TIME");
}

OutputOptions output_options_of(const OutputWords& w) {
  OutputOptions o;
  if (w.collector.empty()) refuse_collector_options(w);
  else o.collector = collector_of(w);
  o.format = o.collector && w.output.empty() ? Format::ipfix : format_of(w);
  o.file = w.output.empty() && !o.collector ? "-" : w.output;
  set_rotation(w.rotate, o);
  o.ipfix.profile = profile_of(w.ipfix_profile);
  if (w.observation_domain) o.ipfix.observation_domain = *w.observation_domain;
  const bool ipfix = (!o.file.empty() && o.format == Format::ipfix) || (o.collector && !w.netflow_v9);
  if (!ipfix && (!w.ipfix_profile.empty() || w.observation_domain)) {
    throw Error("--ipfix-profile and --observation-domain go with IPFIX", ExitStatus::usage);
  }
  if (ipfix && !can_write(Format::ipfix)) throw Error(why_not_written(Format::ipfix), ExitStatus::usage);
  if (!o.file.empty() && !can_write(o.format)) throw Error(why_not_written(o.format), ExitStatus::usage);
  if (o.file == "-" && holds_records_only(o.format) && isatty(STDOUT_FILENO)) {
    throw Error("-o FILE: this format is not for a terminal", ExitStatus::usage);
  }
  return o;
}

}  // namespace warpmeter
