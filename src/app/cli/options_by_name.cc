#include "app/cli/options_by_name.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "app/cli/command_words.h"
#include "app/cli/commands.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

// Options that no command line has by these names.
constexpr const char *kFilter = "filter", *kAlsoRead = "also-read", *kProgress = "progress";

// One word, even of an empty value; what a command line would read as something else is refused.
std::string word_of(const CLI::App& command, const Option& option) {
  if (option.name.empty() || option.name.starts_with('-') || option.name.find('=') != std::string::npos) {
    throw Error("'" + option.name + "' is no name of an option: it has no dashes, and its value stands beside it",
                ExitStatus::usage);
  }
  const CLI::Option* const known = command.get_option_no_throw("--" + option.name);
  const bool is_flag = known && known->get_items_expected_max() == 0;
  if (is_flag && !option.value.empty()) {
    throw Error("--" + option.name + " '" + shortened(option.value) + "': takes no value", ExitStatus::usage);
  }
  return "--" + option.name + (is_flag ? "" : "=" + option.value);
}

// As the words of a command line of that command.
void parse(const std::string& name, const Options& options, const std::function<void(CLI::App&)>& add_options) {
  CLI::App app("", "warpmeter");
  CLI::App& command = *app.add_subcommand(name);
  add_options(command);
  std::vector<std::string> line = {"warpmeter", name};
  for (const Option& option : options) line.push_back(word_of(command, option));
  std::vector<char*> argv;
  for (std::string& word : line) argv.push_back(word.data());
  try {
    parse_command_line(app, static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::Success&) {
    throw Error(name + " has no option --help", ExitStatus::usage);
  }
}

// Nothing is written but to outputs that are named, and what standard output is does not decide what goes with what.
// True: the program takes all.
bool takes_all(OutputWords& words, bool has_format) {
  if (!words.outputs.empty()) return false;
  if (words.collector.empty() && !words.format && !has_format) words.format = Format::csv;
  return true;
}

bool is_of_command(const Option& option) {
  return option.name != kFilter && option.name != kAlsoRead && option.name != kProgress;
}

Options those_of_command(const Options& options) {
  Options of_command;
  std::ranges::copy_if(options, std::back_inserter(of_command), is_of_command);
  return of_command;
}

// The others. `Run`: options of what reads captures.
template <class Run>
void add_others(const Options& options, Run& run) {
  for (const Option& option : options) {
    if (is_of_command(option)) continue;
    if (option.name == kProgress) {
      run.tell_progress = [](const ReadingProgress&) {};  // the job has its own
      continue;
    }
    if (option.value.empty()) throw Error("--" + option.name + " '': there is no value", ExitStatus::usage);
    if (option.name == kFilter) run.filter += (run.filter.empty() ? "" : " ") + option.value;
    else run.never_overwrite.push_back(option.value);
  }
}

// Whoever looks them up finds them in the command's help.
void refuse_those_of_outputs(const Options& options) {
  for (const char* const name : {"output", "format", "payload", "files", "names", "unordered", "tmpdir"}) {
    if (std::ranges::count(options, name, &Option::name) == 0) continue;
    throw Error(std::string("streams for a program have no option --") + name + ": nothing is written of them",
                ExitStatus::usage);
  }
}

}  // namespace

ExtractOptions extract_options_of(const Options& options) {
  ExtractWords words;
  parse("extract", those_of_command(options), [&](CLI::App& command) { add_extract_options(command, words); });
  const bool all = takes_all(words.output, false);
  ExtractOptions run = extract_options_of(words);
  if (all) run.output.file.clear();
  add_others(options, run);
  run.quiet = true;
  run.verbose = false;
  run.progress = false;
  return run;
}

ReassembleCommandOptions reassemble_options_of(const Options& options) {
  refuse_those_of_outputs(options);
  ReassembleWords words;
  bool spans = false;
  parse("reassemble", those_of_command(options), [&](CLI::App& command) {
    add_stream_reader_options(command, words);
    command.add_flag("--spans", spans);
  });
  ReassembleCommandOptions run = reassemble_options_of(words);
  run.streams.spans = spans;
  if (spans && run.streams.overlap != OverlapPolicy::first) {
    throw Error("--spans goes with --overlap first: other policies change bytes that wait, and spans lie in the frames",
                ExitStatus::usage);
  }
  add_others(options, run);
  run.quiet = true;
  return run;
}

ShowOptions show_options_of(const Options& options) {
  ShowWords words;
  parse("show", options, [&](CLI::App& command) { add_show_options(command, words); });
  const bool all = takes_all(words.output, words.json || words.csv);
  ShowOptions run = show_options_of(words);
  if (all) run.output.file.clear();
  return run;
}

namespace {

// Of an option without value.
bool is_wanted(const Option& option) {
  if (option.value.empty()) return true;
  throw Error("--" + option.name + " '" + shortened(option.value) + "': takes no value", ExitStatus::usage);
}

}  // namespace

PacketsOptions packets_options_of(std::vector<std::string> inputs, const Options& options, bool has_flows) {
  constexpr const char *kCaptureFilter = "capture-filter", *kTable = "table";  // beside kAlsoRead
  PacketsWords words;
  words.inputs = std::move(inputs);
  words.has_flows_of_program = has_flows;
  if (words.inputs.empty()) throw Error("there are no inputs", ExitStatus::usage);
  Options of_command;
  std::string filter;
  std::vector<std::string> also_read;
  for (const Option& option : options) {
    if (option.name == kCaptureFilter) filter += (filter.empty() ? "" : " ") + option.value;
    else if (option.name == kAlsoRead) also_read.push_back(option.value);
    else if (option.name == kTable) words.is_taken = is_wanted(option);
    else of_command.push_back(option);
  }
  const bool has_output = std::ranges::count(options, "output", &Option::name) > 0;
  words.is_taken = words.is_taken || !has_output;
  parse("packets", of_command, [&](CLI::App& command) { add_packets_options(command, words); });
  if (has_flows && !words.flows.empty()) throw Error("--flows: there are other flows", ExitStatus::usage);
  PacketsOptions run = packets_options_of(words);
  if (words.is_taken) run.taker.emplace();
  run.metering.filter = filter;
  run.metering.never_overwrite = also_read;
  run.metering.quiet = true;
  run.metering.progress = false;
  return run;
}

ReportOptions report_options_of(const Options& options, const std::string& output) {
  ReportOptions run;
  Options with_output = options;
  with_output.push_back({"output", output});
  parse("report", with_output, [&](CLI::App& command) { add_page_options(command, run); });
  return run;
}

}  // namespace warpmeter
