#include "cli/output_words.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string_view>

#include "cli/parse_values.h"
#include "pipeline/file_writer.h"
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

// A number alone, or with a unit of size, is a size; with a unit of time, a time.
void set_rotation(const std::string& word, OutputOptions& o) {
  if (word.empty()) return;
  if (o.file == "-" || o.file.starts_with("/dev/")) throw Error("--rotate goes with -o FILE", ExitStatus::usage);
  const std::size_t unit = word.find_first_not_of("0123456789.");
  const bool size = unit == std::string::npos || std::string_view("KMGTB").find(word[unit]) != std::string_view::npos;
  if (size) o.rotate_bytes = parse_size(word);
  else o.rotate_ns = parse_time(word);
  if (!o.rotate_bytes && !o.rotate_ns) throw Error("--rotate: more than 0", ExitStatus::usage);
}

}  // namespace

void add_file_options(CLI::App& app, OutputWords& w) {
  app.add_option("-o,--output", w.output,
                 "where to write Flow Records; " + known_suffixes() +
                     " choose the format, - is standard output (the default: a table on a terminal, else CSV)")
      ->type_name("FILE");
  app.add_option("--format", w.format, "format, whatever the name of the output")->check(CLI::IsMember(format_names()));
  app.add_option("--ipfix-profile", w.ipfix_profile,
                 "default: elements of our own for what IANA has none for; plain: IANA's alone; ntop: with ntop's for "
                 "retransmissions and segments out of order")
      ->check(CLI::IsMember({"default", "plain", "ntop"}));
  app.add_option("--observation-domain", w.observation_domain,
                 "IPFIX: the number by which collectors tell exporters' streams apart (default 1)")
      ->type_name("N");
}

void add_export_options(CLI::App& app, OutputWords& w) {
  app.add_option("--rotate", w.rotate,
                 "many files instead of one: a new one beyond this size (NAME.000001.csv), or one for each interval of "
                 "this length in which flows ended (NAME.20260131T120000Z.csv)")
      ->type_name("SIZE|TIME");
}

OutputOptions output_options_of(const OutputWords& w) {
  OutputOptions o;
  o.format = format_of(w);
  o.file = w.output.empty() ? "-" : w.output;
  set_rotation(w.rotate, o);
  o.ipfix.profile = profile_of(w.ipfix_profile);
  o.ipfix.observation_domain = w.observation_domain;
  if (o.format != Format::ipfix && !w.ipfix_profile.empty()) {
    throw Error("--ipfix-profile goes with IPFIX", ExitStatus::usage);
  }
  if (!can_write(o.format)) throw Error(why_not_written(o.format), ExitStatus::usage);
  return o;
}

}  // namespace warpmeter
