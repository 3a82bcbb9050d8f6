#include "app/cli/output_words.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <thread>

#include "app/cli/parse_values.h"
#include "base/program/terminal.h"
#include "base/words/amount.h"
#include "base/words/printable.h"
#include "command/show/chosen_columns.h"
#include "record/write/output_format.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {

bool same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  if (a == "-" || b == "-") return a == b;
  if (std::filesystem::equivalent(a, b, ignored)) return true;
  const auto place = [&](const std::string& name) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(name, ignored), ignored);
  };
  return place(a) == place(b);
}

namespace {

struct FormatName {
  Format format;
  std::string_view name;
  std::vector<std::string_view> suffixes;  // none: no file is named so
};

const std::vector<FormatName>& known_formats() {
  static const std::vector<FormatName> formats = {
      {Format::csv, "csv", {".csv"}},       {Format::json, "json", {".json", ".jsonl", ".ndjson"}},
      {Format::ipfix, "ipfix", {".ipfix"}}, {Format::parquet, "parquet", {".parquet"}},
      {Format::zeek, "zeek", {".log"}},     {Format::table, "table", {}}};
  return formats;
}

std::string known_suffixes() {
  std::string text;
  for (const FormatName& format : known_formats()) {
    for (const std::string_view suffix : format.suffixes) (text += text.empty() ? "" : ", ") += suffix;
  }
  return text;
}

bool is_text(Format format) { return is_lines(format); }

bool is_device(const std::string& name) { return name == "-" || name.starts_with("/dev/"); }

Format format_of(const std::string& name, std::optional<Format> chosen) {
  if (chosen) return *chosen;
  if (name.empty()) return isatty(STDOUT_FILENO) ? Format::table : Format::csv;
  if (is_device(name)) return Format::csv;
  const std::string bare = name.substr(0, name.size() - suffix_of(packing_of(name)).size());
  for (const FormatName& format : known_formats()) {
    for (const std::string_view suffix : format.suffixes) {
      if (bare.ends_with(suffix)) return format.format;
    }
  }
  refuse_folder("-o", name);
  throw Error("-o " + name + ": which format? Names end in one of " + known_suffixes() +
                  ", of CSV and JSON then perhaps .gz, .zst or .lz4; or say --format",
              ExitStatus::usage);
}

// The file, its format and its compression.
void set_target(const std::string& name, std::optional<Format> chosen, OutputOptions& o) {
  o.format = format_of(name, chosen);
  o.file = name.empty() ? "-" : name;
  if (o.format == Format::table && o.file == "-") {
    const std::size_t width = terminal_columns(STDOUT_FILENO);
    o.table = {width, can_colour(STDOUT_FILENO), width > 0};
  }
  o.packing = packing_of(o.file);
  if (o.packing == Packing::none) return;
  if (!is_text(o.format)) {
    throw Error("-o " + name + ": compressed by their names are CSV and JSON alone", ExitStatus::usage);
  }
  if (const std::string why = why_not_packed(o.packing); !why.empty()) {
    throw Error("-o " + name + ": " + why, ExitStatus::usage);
  }
}

void refuse_bad_combinations(const std::vector<std::string>& outputs, bool has_format) {
  if (outputs.size() > 1 && has_format) {
    throw Error("--format goes with one -o: the names of several tell their formats", ExitStatus::usage);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!same_file(outputs[i], outputs[j])) continue;
      throw Error("-o " + outputs[i] + ": is there twice", ExitStatus::usage);
    }
  }
}

bool any_file(const OutputOptions& o, bool (*is)(Format)) {
  if (!o.file.empty() && is(o.format)) return true;
  return std::any_of(o.also.begin(), o.also.end(), [is](const OutputOptions& other) { return is(other.format); });
}

bool has_own_elements(const OutputWords& w, const OutputOptions& o) {
  const bool sends = o.collector && o.collector->protocol == ExportProtocol::ipfix;
  const bool is_ipfix = sends || any_file(o, [](Format f) { return f == Format::ipfix; });
  return is_ipfix && w.ipfix_profile.value_or(IpfixProfile::everything) == IpfixProfile::everything;
}

// Flow Records of IPFIX have fields of their own.
void refuse_bad_choice(const OutputOptions& o) {
  const auto has_other = [](Format format) { return format == Format::ipfix || format == Format::table; };
  if (o.choice.naming != Naming::usual && (o.file.empty() || any_file(o, has_other)))
    throw Error("--names goes with CSV, JSON and Parquet", ExitStatus::usage);
  if (o.choice.naming == Naming::zeek && o.times == TimeForm::iso)
    throw Error("--names zeek: its times are seconds; --times ns or us says how many decimals", ExitStatus::usage);
  if (o.choice.is_of_all()) return;
  if (!o.file.empty() && !any_file(o, [](Format format) { return format == Format::ipfix; })) return;
  throw Error("--columns chooses what CSV, JSON, Parquet and tables have; IPFIX has whole Flow Records",
              ExitStatus::usage);
}

// These have something to say of some outputs only.
void refuse_idle_options(const OutputWords& w, const OutputOptions& o) {
  const bool columns = any_file(o, [](Format f) { return is_text(f) || f == Format::parquet; });
  if (w.times && !columns) throw Error("--times goes with CSV, JSON and Parquet", ExitStatus::usage);
  if (w.times == TimeForm::iso && !any_file(o, is_text)) {
    throw Error("--times iso goes with CSV and JSON; Parquet has a type for times (ns, us)", ExitStatus::usage);
  }
  const std::vector<bool> wanted = wanted_columns(w);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const ColumnOption& column = column_options()[i];
    const bool in_ipfix = column.in_ipfix();
    if (!wanted[i] || columns || (in_ipfix && has_own_elements(w, o))) continue;
    const std::string option =
        w.extra_columns[i].is_wanted ? column.option() : "--columns " + std::string(column.column);
    throw Error(
        option + " goes with CSV, JSON" + (in_ipfix ? ", Parquet and IPFIX (--ipfix-profile default)" : " and Parquet"),
        ExitStatus::usage);
  }
}

IpfixOptions ipfix_of(const OutputWords& w) {
  IpfixOptions ipfix;
  ipfix.profile = w.ipfix_profile.value_or(ipfix.profile);
  ipfix.observation_domain = w.observation_domain.value_or(ipfix.observation_domain);
  return ipfix;
}

bool is_pipe(const std::string& name) {
  std::error_code nothing_there;
  return std::filesystem::is_fifo(name, nothing_there);
}

// The unit tells a size from a time: 5m are minutes, 5M is a size. A number alone is either, so it is none.
void set_rotation(const std::string& word, OutputOptions& o) {
  if (word.empty() || o.file.empty() || is_device(o.file) || is_pipe(o.file)) return;
  const bool number = word.find_first_not_of("0123456789.") == std::string::npos;
  if (number && read_amount(word, AmountOf::time, 1'000'000'000).value > 0) {
    throw Error(fmt::format("--rotate {0}: a size such as {0}M, or a time such as {0}s?", word), ExitStatus::usage);
  }
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
  CollectorOptions c = w.sending;
  c.address = parse_collector(w.collector, c.protocol);
  return c;
}

std::vector<std::pair<std::string, std::optional<Format>>> format_words() {
  std::vector<std::pair<std::string, std::optional<Format>>> words;
  for (const FormatName& format : known_formats()) words.emplace_back(format.name, format.format);
  return words;
}

}  // namespace

void add_file_options(CLI::App& app, OutputWords& w) {
  app.option_defaults()->group("Output");
  app.add_option(
         "-o,--output", w.outputs,
         "where to write Flow Records; " + known_suffixes() +
             " choose the format, .gz, .zst or .lz4 behind it the compression (CSV, JSON); - is standard output "
             "(the default: a table on a terminal, else CSV); extract and live take several -o")
      ->type_name("FILE")
      ->allow_extra_args(false);
  add_word(app, "--format", w.format, format_words(), "format, whatever the name of the output");
  add_word(app, "--times", w.times, {{"ns", TimeForm::ns}, {"us", TimeForm::us}, {"iso", TimeForm::iso}},
           "times in CSV, JSON and Parquet: nanoseconds (ns, the default), microseconds in columns start_us, ... "
           "(us), or 2026-01-31T12:00:00.123456789Z in start_time, end_time of CSV and JSON (iso)");
  add_names(app, w);
  app.add_flag("--wide", w.wide, "a table with all columns and whole addresses, however narrow the terminal is");
  add_column_flags(app, w);
  add_word(app, "--ipfix-profile", w.ipfix_profile,
           {{"default", IpfixProfile::everything}, {"plain", IpfixProfile::plain}, {"ntop", IpfixProfile::ntop}},
           "elements of our own for what IANA has none for (default), IANA's alone (plain), or those and ntop's "
           "for retransmissions and segments out of order (ntop)");
  add_count(app, "--observation-domain", 0, std::numeric_limits<std::uint32_t>::max(),
            "IPFIX: the number by which collectors tell exporters' streams apart (default 1)",
            [&w](std::uint64_t n) { w.observation_domain = static_cast<std::uint32_t>(n); });
}

void add_export_options(CLI::App& app, OutputWords& w) {
  add_columns_option(app, w);
  app.add_option("--rotate", w.rotate,
                 "many files instead of one: a new one beyond this size, such as 100M (NAME.000001.csv; IPFIX in "
                 "whole messages, Parquet in whole row groups of 524,288 rows), or one for each interval of this "
                 "length, such as 5m or 1h, in which flows ended (NAME.20260131T120000Z.csv); always with a unit")
      ->type_name("SIZE|TIME");
  app.add_flag("--date-folders", w.date_folders,
               "files of --rotate TIME in folders of the date and hour in which their intervals begin (UTC), as "
               "DuckDB, Spark and Hive take them for columns: date=2026-01-31/hour=12/NAME.20260131T120000Z.csv");
  app.add_option("--anonymize", w.anonymize,
                 "other addresses in the output, of which two share as many leading bits as before (Crypto-PAn), by "
                 "the key in this file of 32 bytes; texts that a policy noted are left out")
      ->type_name("FILE");
  app.option_defaults()->group("Collector");
  CLI::Option* const collector =
      app.add_option(
             "--collector", w.collector,
             "send IPFIX to udp://HOST[:PORT] or tcp://HOST[:PORT] (default port 4739); without -o nothing else "
             "is written")
          ->type_name("URL");
  CollectorOptions& c = w.sending;
  CLI::Option* const of_collector[] = {
      app.add_flag_callback(
          "--netflow-v9", [&c] { c.protocol = ExportProtocol::netflow_v9; },
          "NetFlow v9 instead of IPFIX, over UDP (default port 2055)"),
      add_amount(app, "--collector-rate", AmountOf::count,
                 "UDP: records a second, because collectors lose what comes faster; 0 = no limit (default 100K)",
                 [&c](std::uint64_t n) { c.records_per_second = n; }),
      add_count(app, "--mtu", kSmallestMtu, kLargestMtu, "UDP: largest IP packet, in bytes (default 1500)",
                [&c](std::uint64_t n) { c.mtu = n; }),
      add_time(app, "--template-refresh", c.template_refresh, "UDP: Templates again after this time (default 60s)"),
      add_size(app, "--collector-buffer", c.buffer,
               "TCP: what may wait while the collector does not take it (default 64M)"),
      add_time(
          app, "--collector-timeout", c.timeout,
          "TCP: how long a collector that takes nothing, or does not read to the end, is waited for (default 30s)")};
  for (CLI::Option* const option : of_collector) option->needs(collector);
}

// One of several -o, or the only one.
OutputOptions file_options_of(const std::string& name, const OutputWords& w, unsigned threads) {
  OutputOptions o;
  set_target(name, w.format, o);
  if (w.wide) o.table.width = 0;
  set_rotation(w.rotate, o);
  o.date_folders = w.date_folders;
  if (!o.rotate_bytes && !o.rotate_ns) refuse_folder("-o", name);
  o.times = w.times.value_or(o.times);
  o.extra_columns = extra_columns_of(w);
  o.choice = choice_of(w);
  if (o.format == Format::zeek) {
    if (o.choice.naming != Naming::zeek && w.naming)
      throw Error("--format zeek has Zeek's names, and no others", ExitStatus::usage);
    o.choice.naming = Naming::zeek;
  }
  o.make_chosen = make_chosen_format;
  o.threads = threads ? threads : std::max(1u, std::thread::hardware_concurrency());
  o.ipfix = ipfix_of(w);
  if (!can_write(o.format)) throw Error(why_not_written(o.format), ExitStatus::usage);
  if (o.file == "-" && holds_records_only(o.format) && isatty(STDOUT_FILENO)) {
    throw Error("-o FILE: this format is not for a terminal", ExitStatus::usage);
  }
  return o;
}

OutputOptions output_options_of(const OutputWords& words, unsigned threads) {
  refuse_bad_combinations(words.outputs, words.format.has_value());
  OutputWords w = words;
  const auto is_log = [&w](const std::string& name) { return format_of(name, w.format) == Format::zeek; };
  w.has_log = w.outputs.empty() ? w.collector.empty() && is_log("") : std::ranges::any_of(w.outputs, is_log);
  OutputOptions o;
  if (!w.outputs.empty() || w.collector.empty()) {
    o = file_options_of(w.outputs.empty() ? "" : w.outputs.front(), w, threads);
  } else {
    o.format = Format::ipfix;
    o.choice = choice_of(w);
  }
  o.ipfix = ipfix_of(w);
  for (std::size_t i = 1; i < w.outputs.size(); ++i) o.also.push_back(file_options_of(w.outputs[i], w, threads));
  if (!w.collector.empty()) o.collector = collector_of(w);
  const auto rotates = [](const OutputOptions& file) { return file.rotate_bytes || file.rotate_ns; };
  if (!w.rotate.empty() && !rotates(o) && std::none_of(o.also.begin(), o.also.end(), rotates)) {
    throw Error(w.outputs.empty()
                    ? "--rotate goes with -o FILE"
                    : "--rotate: -o " + w.outputs.front() + " is no file, of which there could be several",
                ExitStatus::usage);
  }
  const auto by_time = [](const OutputOptions& file) { return file.rotate_ns > 0; };
  if (w.date_folders && !by_time(o) && std::none_of(o.also.begin(), o.also.end(), by_time)) {
    throw Error("--date-folders goes with --rotate TIME", ExitStatus::usage);
  }
  refuse_idle_options(w, o);
  refuse_bad_choice(o);
  if (!w.anonymize.empty()) {
    refuse_output(w, "--anonymize", w.anonymize);
    o.anonymize = read_anonymization_key(w.anonymize);
  }
  const bool to_collector = o.collector && o.collector->protocol == ExportProtocol::ipfix;
  if (to_collector && !can_write(Format::ipfix)) throw Error(why_not_written(Format::ipfix), ExitStatus::usage);
  const bool ipfix = any_file(o, [](Format f) { return f == Format::ipfix; }) || to_collector;
  if (!ipfix && (w.ipfix_profile || w.observation_domain)) {
    throw Error("--ipfix-profile and --observation-domain go with IPFIX", ExitStatus::usage);
  }
  return o;
}

void refuse_output(const OutputWords& w, const std::string& option, const std::string& file) {
  if (file.empty() || is_device(file)) return;
  for (const std::string& output : w.outputs) {
    if (same_file(output, file)) throw Error(option + " and -o " + output + ": one file", ExitStatus::usage);
  }
}

}  // namespace warpmeter::inline app
