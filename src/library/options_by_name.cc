#include "library/options_by_name.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "cli/command_line.h"
#include "cli/extract_words.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

constexpr const char* kFilter = "filter";

// As the words of a command line.
void parse(const Options& options, ExtractWords& words) {
  CLI::App app("", "warpmeter");
  add_extract_options(*app.add_subcommand("extract"), words);
  std::vector<std::string> line = {"warpmeter", "extract"};
  for (const auto& [name, value] : options) {
    if (name == kFilter) continue;
    line.push_back("--" + name + (value.empty() ? "" : "=" + value));
  }
  std::vector<char*> argv;
  for (std::string& word : line) argv.push_back(word.data());
  try {
    parse_command_line(app, static_cast<int>(argv.size()), argv.data());
  } catch (const CLI::Success&) {
    throw Error("extract has no option --help", ExitStatus::usage);
  }
}

}  // namespace

ExtractOptions extract_options_of(const Options& options) {
  ExtractWords words;
  parse(options, words);
  const bool takes_all = words.output.outputs.empty();
  // Not what standard output is decides what goes with what.
  if (takes_all && words.output.collector.empty() && words.output.format.empty()) words.output.format = "csv";
  ExtractOptions run = extract_options_of(words);
  if (takes_all) run.output.file.clear();
  for (const auto& [name, value] : options) {
    if (name == kFilter) run.filter += (run.filter.empty() ? "" : " ") + value;
  }
  run.quiet = true;
  run.verbose = false;
  run.progress = false;
  return run;
}

}  // namespace warpmeter
