// write_options FILE: the module _options of the Python package: for each of its functions the options of the command,
// with the types of their values and what they do, and in which group of `--help` they are. They come from the command
// line of the program, so that an option stands in one place. Part of the build, not installed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/command_words.h"
#include "app/cli/commands.h"
#include "app/cli/option_text.h"

namespace {

using warpmeter::OptionGroup;

constexpr std::string_view kHead = R"("""Written by write_options, from the command line of the program."""

from collections.abc import Sequence
from typing import Literal, TypedDict

from ._keywords import Count, Flag, Names, Numbers, Path, Size, SizeOrTime, Time
)";

// What _keywords calls a value that --help calls so, and what users of Python write for it.
struct KindOfValue {
  std::string_view value, kind, written;
};
constexpr KindOfValue kKinds[] = {
    {"", "Flag", "True or False"},
    {"N", "Count", "a whole number, or text: \"500K\""},
    {"SIZE", "Size", "bytes, or text: \"64M\""},
    {"TIME", "Time", "seconds, text with a unit: \"100ms\", or a timedelta"},
    {"SIZE|TIME", "SizeOrTime", "text with a unit: \"100M\" or \"5m\", or a timedelta"},
    {"FILE", "Path", "a path"},
    {"FOLDER", "Path", "a path"},
    {"[+]LIST", "Numbers", "a number, a list of them, or text: \"+5000\""},
    {"N[,N...]", "Numbers", "a number, or a list of them"},
    {"A,B,...", "Names", "a name, or a list of them"},
    {"NAME[,NAME...]|all", "Names", "a name, a list of them, or \"all\""},
    {"KEY[,KEY...]", "Names", "a name, or a list of them"},
    {"WORDS", "Names", "a word, or a list of them"},
};

const KindOfValue* kind_of(const CLI::Option& option) {
  const std::string value = warpmeter::value_name(option);
  const auto* const known = std::ranges::find(kKinds, value, &KindOfValue::value);
  return known == std::end(kKinds) ? nullptr : known;
}

std::string keyword_of(const CLI::Option& option) {
  std::string name = option.get_lnames().front();
  std::ranges::replace(name, '-', '_');
  return name;
}

// For texts that quotes end.
std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all;
}

std::string python_text(std::string_view text) { return '"' + escaped(text) + '"'; }

std::string type_of(const CLI::Option& option) {
  const KindOfValue* const known = kind_of(option);
  std::string kind(known ? known->kind : "str");
  if (kind == "Flag") return kind;
  if (const std::vector<std::string> words = warpmeter::value_words(option); !words.empty()) {
    kind.clear();
    for (const std::string& word : words) kind += (kind.empty() ? "" : ", ") + python_text(word);
    kind = "Literal[" + kind + "]";
  }
  return kind + (option.get_expected_max() > 1 ? " | Sequence[" + kind + "]" : "") + " | None";
}

// What it does, what it is given, and what holds without it.
std::string meaning_of(const CLI::Option& option) {
  const std::string explanation = warpmeter::explanation(option);
  const KindOfValue* const known = kind_of(option);
  std::string text = explanation + " [";
  if (!warpmeter::value_words(option).empty()) text += "one of these words";
  else text += known ? known->written : "text";
  if (option.get_expected_max() > 1) text += ", or a list of several";
  if (explanation.find("default") == std::string::npos) {
    text += known && known->kind == "Flag" ? "; default False" : "; default None";
  }
  return text + ']';
}

// Without --help and those that the function has parameters of its own for, or takes itself.
std::vector<OptionGroup> groups_of(const CLI::App& command, std::vector<std::string> without) {
  without.emplace_back("help");
  std::vector<OptionGroup> groups = warpmeter::option_groups(command);
  for (OptionGroup& group : groups) {
    std::erase_if(group.options, [&](const CLI::Option* o) { return std::ranges::count(without, keyword_of(*o)) > 0; });
  }
  std::erase_if(groups, [](const OptionGroup& group) { return group.options.empty(); });
  return groups;
}

std::string class_of(const std::string& name, const CLI::App& command, const std::string& program,
                     const std::vector<std::string>& without = {}) {
  std::string text = fmt::format(
      "\n\nclass {}(TypedDict, total=False):\n    \"\"\"Those of `warpmeter {} --help`. False "
      "and None leave an option out.\n\n",
      name, program);
  for (const OptionGroup& group : groups_of(command, without)) {
    for (const CLI::Option* option : group.options) {
      text += fmt::format("    {}: {}\n", keyword_of(*option), escaped(meaning_of(*option)));
    }
  }
  text += "    \"\"\"\n";
  for (const OptionGroup& group : groups_of(command, without)) {
    text += fmt::format("\n    # {}\n", group.title);
    for (const CLI::Option* option : group.options) {
      text +=
          fmt::format("    {}: {}\n    {}\n", keyword_of(*option), type_of(*option), python_text(meaning_of(*option)));
    }
  }
  return text;
}

std::string groups_as_python(const CLI::App& command) {
  std::string text;
  for (const OptionGroup& group : groups_of(command, {})) {
    text += fmt::format("        {}: (", python_text(group.title));
    for (const CLI::Option* option : group.options) text += python_text(keyword_of(*option)) + ", ";
    text += "),\n";
  }
  return fmt::format("    {}: {{\n{}    }},\n", python_text(command.get_name()), text);
}

std::string module_text() {
  CLI::App app, reader;
  warpmeter::Command chosen;
  warpmeter::add_commands(app, chosen);
  warpmeter::ReassembleWords words;
  warpmeter::add_stream_reader_options(reader, words);
  const auto command = [&app](const char* name) -> const CLI::App& { return *app.get_subcommand(name); };
  std::string text(kHead);
  text += class_of("ExtractOptions", command("extract"), "extract");
  text += class_of("InfoOptions", command("info"), "info", {"json", "quiet"});
  text += class_of("PacketsOptions", command("packets"), "packets", {"filter", "flows", "output"});
  text += class_of("ReportOptions", command("report"), "report", {"output"});
  text += class_of("ShowOptions", command("show"), "show", {"filter", "packets"});
  text += class_of("StreamsOptions", reader, "reassemble");
  text += "\n\nGROUPS: dict[str, dict[str, tuple[str, ...]]] = {\n";
  for (const char* const name : {"decode", "extract"}) text += groups_as_python(command(name));
  return text + "}\n";
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: write_options FILE");
  std::ofstream file(argv[1], std::ios::binary);
  file << module_text();
  if (!file.flush()) throw std::runtime_error(std::string(argv[1]) + ": cannot be written");
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_options: %s\n", error.what());
  return 1;
}
