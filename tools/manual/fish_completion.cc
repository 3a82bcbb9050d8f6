#include <fmt/format.h>

#include "manual/completion.h"

namespace warpmeter {
namespace {

constexpr std::string_view kFishBegin =
    R"fish(# Completes warpmeter in fish. Written by write_manual, from the options of the program.

# Without a description each would have that of its option.
function __warpmeter_words
    printf '%s\t\n' $argv
end

# The last one of several between commas.
function __warpmeter_list
    set -l before (string match -r '.*,' -- (commandline -ct | string replace -r '^-[^=]*=' ''))
    __warpmeter_words "$before"$argv
end

function __warpmeter_interfaces
    set -l there /sys/class/net/*
    __warpmeter_words (string replace -r '.*/' '' $there) $argv
end

)fish";

// In a string of single quotes.
std::string fish_quoted(std::string_view text) {
  std::string all = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') all += '\\';
    all += c;
  }
  return all + "'";
}

std::string fish_action(const CompletedOption& option) {
  const std::string words = fmt::format("{}", fmt::join(option.words, " "));
  switch (option.completed) {
    case Completed::words: return " -x -a " + fish_quoted("(__warpmeter_words " + words + ")");
    case Completed::list: return " -x -a " + fish_quoted("(__warpmeter_list " + words + ")");
    case Completed::folder: return " -x -a '(__fish_complete_directories)'";
    case Completed::interface: return " -x -a " + fish_quoted("(__warpmeter_interfaces " + words + ")");
    case Completed::file: return " -r -F";
    case Completed::nothing: break;
  }
  return " -x";
}

std::string line_of(const std::string& condition, const CompletedOption& option) {
  std::string line = "complete -c warpmeter -n " + fish_quoted(condition);
  for (const std::string& name : option.names) {
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return line + (option.value.empty() ? "" : fish_action(option)) + " -d " + fish_quoted(option.meaning) + "\n";
}

}  // namespace

std::string fish_completion(const std::vector<CompletedCommand>& commands) {
  std::string script(kFishBegin), names;
  for (const CompletedOption& option : commands.front().options) script += line_of("__fish_use_subcommand", option);
  for (std::size_t i = 1; i < commands.size(); ++i) {
    script += fmt::format("complete -c warpmeter -n __fish_use_subcommand -f -a {} -d {}\n", commands[i].name,
                          fish_quoted(commands[i].meaning));
    names += (names.empty() ? "" : " ") + commands[i].name;
  }
  script += "complete -c warpmeter -n __fish_use_subcommand -f -a help -d 'help of a command'\n";
  script += "complete -c warpmeter -n '__fish_seen_subcommand_from help' -f -a " + fish_quoted(names) + "\n";
  for (std::size_t i = 1; i < commands.size(); ++i) {
    for (const CompletedOption& option : commands[i].options) {
      script += line_of("__fish_seen_subcommand_from " + commands[i].name, option);
    }
  }
  return script;
}

}  // namespace warpmeter
