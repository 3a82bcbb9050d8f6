// `warpmeter show`: the options, and what follows from them where the user left them out.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "analysis/query/filter.h"
#include "app/cli/command_words.h"
#include "app/cli/commands.h"
#include "app/cli/input_words.h"
#include "app/cli/option_text.h"
#include "app/cli/output_words.h"
#include "app/cli/parse_values.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "base/words/printable.h"
#include "command/packets/select_packets.h"
#include "command/show/chosen_columns.h"
#include "command/show/show.h"
#include "record/write/output_format.h"

namespace warpmeter::inline app {
namespace {

// Some have two names.
void refuse_twice(const std::vector<std::string>& columns) {
  std::set<std::string> met;
  for (const std::string& column : columns) {
    const std::optional<Field> field = Field::of(column);
    const std::optional<SumColumn> of_sums = SumColumn::of(column);
    if (met.insert(field ? field->name() : of_sums ? of_sums->name() : column).second) continue;
    throw Error("--columns: '" + shortened(column) + "' is there twice", ExitStatus::usage);
  }
}

// Of what comes last: the sums, or else the Flow Records that --aggregate makes.
void take_having(const std::string& text, ShowOptions& o) {
  if (!o.sum_keys.empty()) o.having.emplace(text, o.sum_keys);
  else if (o.aggregate) o.having_flows.emplace(text, "--having", OtherNames::doubt);
  else throw Error("--having goes with --sum or --aggregate; flows are filtered by -f", ExitStatus::usage);
}

// Who writes a filter as for extract has it taken for files, and sees all flows.
void tell_of_filter(const ShowOptions& o) {
  const auto is_missing = [](const std::string& word) {
    std::error_code ignored;
    return word != "-" && !std::filesystem::exists(word, ignored);
  };
  const auto first = std::find_if(o.files.begin(), o.files.end(), is_missing);
  // Without quotes, -f has its first word alone, and the rest would be files.
  if (const bool is_rest = first != o.files.end() && (*first == "and" || *first == "or"); o.filter && is_rest)
    throw Error("no file has the name " + *first + "; quote the filter, as in -f 'tcp and port 443'",
                ExitStatus::usage);
  if (o.filter || first == o.files.begin() || !std::all_of(first, o.files.end(), is_missing)) return;
  std::string words;
  for (auto word = first; word != o.files.end(); ++word) (words += words.empty() ? "" : " ") += *word;
  if (words.empty()) return;
  try {
    const Filter filter(words);
  } catch (const Error&) {
    return;
  }
  warn("no file has the name " + *first + "; a filter goes behind -f: -f '" + words + "'");
}

// --packets: `packets TRACE... --flows FILE... -f EXPR -o OUT`, and nothing else.
void refuse_beside_packets(const CLI::App& command) {
  static const std::set<std::string> together = {"filter", "packets", "headers-only", "output", "recursive", "quiet"};
  for (const CLI::Option* const option : command.get_options()) {
    if (option->count() == 0 || option->get_lnames().empty() || together.contains(option->get_lnames().front()))
      continue;
    throw Error(
        "--" + option->get_lnames().front() +
            ": not with --packets, which writes packets of the flows that -f selects, as warpmeter packets --flows",
        ExitStatus::usage);
  }
}

PacketsOptions packets_options_of(const ShowWords& words) {
  PacketsWords packets;
  CLI::App as_usual;  // whose options set what they are where nobody gives them
  add_packets_options(as_usual, packets);
  packets.inputs = words.packets;
  packets.flows = words.files;
  packets.filter = words.filter;
  packets.headers_only = words.headers_only;
  if (words.output.outputs.size() > 1) throw Error("-o: show writes one output", ExitStatus::usage);
  if (!words.output.outputs.empty()) packets.output = words.output.outputs.front();
  packets.metering.options.quiet = words.quiet;
  PacketsOptions options = packets_options_of(packets);
  options.folders_below = words.recursive;
  return options;
}

ExitStatus run_show(const ShowWords& words) {
  if (!words.packets.empty()) {
    const PacketsOptions options = packets_options_of(words);
    return select_packets(options, watch_for_interrupt());
  }
  if (words.headers_only) throw Error("--headers-only goes with --packets", ExitStatus::usage);
  ShowOptions options = show_options_of(words);
  tell_of_filter(options);
  // What goes to the terminal row by row tells by itself.
  const bool by_row = options.sort.empty() && options.top == 0 && options.sum_keys.empty() && !options.aggregate;
  options.progress = !options.quiet && !(by_row && options.output.file == "-" && isatty(STDOUT_FILENO));
  return show(options, watch_for_interrupt());
}

}  // namespace

void add_show_options(CLI::App& app, ShowWords& w) {
  app.option_defaults()->group("Input");
  add_recursive(app, w.recursive);
  add_geo(app, w.geo);
  app.option_defaults()->group("Flows");
  app.add_option("-f,--filter", w.filter, "only flows that meet this, such as 'tcp and port 443' (see below)")
      ->type_name("EXPR");
  app.add_option("--sort", w.sort, "sort; counts from the largest on, unless :asc or :desc says otherwise")
      ->type_name("COLUMN[:asc|:desc]");
  app.add_option(
         "--top", w.top,
         "only the first N, by --sort or as in --top 10 by COLUMN (default: by bytes); of sums also as in --top 3 per "
         "time/10m: so many for each value of a key")
      ->type_name("N");
  app.add_option("--sum", w.sum, "instead of flows, sums for each value of these keys, such as src_addr/24,dst_port")
      ->type_name("KEY[,KEY...]");
  app.add_option("--having", w.having, "only sums that meet this, such as 'flows > 9 and retransmission_share > 5%'")
      ->type_name("EXPR");
  app.add_flag("--aggregate", w.aggregate, "one Flow Record per Flow Key, as extract --aggregate does");
  app.option_defaults()->group("Output");
  add_text(app, "--columns", "what to show, in this order (default: a good choice; all for programs)",
           [&w](const std::string& names) { w.columns = names; })
      ->type_name("A,B,...");
  add_file_options(app, w.output);
  CLI::Option* format = app.get_option("--format");
  CLI::Option* json = app.add_flag("--json", w.json, "the same as --format json: JSON lines")->excludes(format);
  app.add_flag("--csv", w.csv, "the same as --format csv")->excludes(format)->excludes(json);
  app.option_defaults()->group("Messages");
  app.add_flag("-q,--quiet", w.quiet, "no line on standard error about what was shown");
}

ShowOptions show_options_of(ShowWords w) {
  ShowOptions o;
  const Top top = take_top(w.top, w.files);
  if (!top.column.empty() && !w.sort.empty())
    throw Error("--top N by COLUMN and --sort: one of them", ExitStatus::usage);
  o.files = w.files;
  o.recursive = w.recursive;
  o.geo = w.geo;
  o.top = top.most;
  o.top_per = top.per;
  o.sort = w.sort.empty() ? top.column : w.sort;
  if (!top.column.empty()) o.sort_option = "--top N by COLUMN";
  if (!w.filter.empty()) o.filter.emplace(w.filter, "filter", OtherNames::doubt);
  if (!w.sum.empty()) o.sum_keys = parse_sum_keys(w.sum);
  if (o.sum_keys.empty() && !o.top_per.empty()) throw Error("--top N per KEY goes with --sum", ExitStatus::usage);
  o.aggregate = w.aggregate;
  if (!w.having.empty()) take_having(w.having, o);
  o.columns = split_columns("--columns", w.columns);
  refuse_twice(o.columns);
  if (w.output.outputs.size() > 1) throw Error("-o: show writes one output", ExitStatus::usage);
  if (w.json || w.csv) w.output.format = w.json ? Format::json : Format::csv;
  o.output = output_options_of(w.output);
  o.quiet = w.quiet;
  if (!o.output.extra_columns.empty() && !(o.sum_keys.empty() && o.columns.empty())) {
    const std::string option = option_of_column(o.output.extra_columns.front()->name());
    throw Error(option + " is for whole Flow Records, not for --sum and --columns", ExitStatus::usage);
  }
  if (o.output.choice.naming != Naming::usual && !o.sum_keys.empty())
    throw Error("--names is for flows, not for --sum", ExitStatus::usage);
  const bool holds_rows = !holds_records_only(o.output.format) || o.output.format == Format::parquet;
  if (!holds_rows && !(o.sum_keys.empty() && o.columns.empty())) {
    throw Error("--sum and --columns are for tables, CSV, JSON and Parquet", ExitStatus::usage);
  }
  return o;
}

void add_show_command(CLI::App& app, Command& chosen) {
  auto words = std::make_shared<ShowWords>();
  CLI::App* command = app.add_subcommand("show", "reads Flow Records back: filters, sorts, sums them");
  command
      ->add_option("FILE", words->files,
                   "files of Flow Records (CSV, JSON lines, IPFIX, Parquet), folders of them, or - for standard input")
      ->required();
  add_show_options(*command, *words);
  command->option_defaults()->group("Packets");
  command
      ->add_option("--packets", words->packets,
                   "the packets of these flows out of these captures, to -o NAME.pcap, .pcapng, or a table: as "
                   "warpmeter packets TRACE... --flows FILE...")
      ->type_name("TRACE");
  command->add_flag("--headers-only", words->headers_only,
                    "with --packets: cut each packet behind its transport header, as warpmeter packets does");
  command->footer(show_help);
  command->callback([words, command, &chosen] {
    chosen = [words, command] {
      if (!words->packets.empty()) refuse_beside_packets(*command);
      return run_show(*words);
    };
  });
}

}  // namespace warpmeter::inline app
