#include <fmt/format.h>

#include "manual/completion.h"

namespace warpmeter {
namespace {

constexpr std::string_view kZshBegin = R"zsh(#compdef warpmeter
# Completes warpmeter in zsh. Written by write_manual, from the options of the program.

_warpmeter_interfaces() {
  if compset -P 'folder:'; then
    _files -/
    return
  fi
  local -a there=(/sys/class/net/*(N:t))
  compadd -a there
  compadd -S '' -- "$@"
}

_warpmeter() {
  local curcontext="$curcontext" state line
  local -a commands=(
)zsh";

// Within [ ] of a specification of _arguments.
std::string zsh_escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') all += '\\';
    all += c;
  }
  return all;
}

std::string zsh_action(const CompletedOption& option) {
  const std::string words = fmt::format("{}", fmt::join(option.words, " "));
  switch (option.completed) {
    case Completed::words: return "(" + zsh_escaped(words) + ")";
    case Completed::list: return "_sequence compadd - " + words;
    case Completed::folder: return "_files -/";
    // The blank: the words alone, and none of what _arguments says to compadd.
    case Completed::interface: return " _warpmeter_interfaces " + zsh_escaped(words);
    case Completed::file: return "_files";
    case Completed::nothing: break;
  }
  return " ";
}

// One a name; each rules out the others, unless the option may be given again.
std::string specifications(const CompletedOption& option) {
  std::string text;
  for (const std::string& name : option.names) {
    const std::string once = fmt::format("({})", fmt::join(option.names, " "));
    const std::string value = option.value.empty() ? "" : ":" + zsh_escaped(option.value) + ":" + zsh_action(option);
    const std::string joined = option.value.empty() ? "" : name.starts_with("--") ? "=" : "+";
    text += fmt::format(" \\\n        {}", shell_quoted((option.again ? "*" : once) + name + joined + "[" +
                                                        zsh_escaped(option.meaning) + "]" + value));
  }
  return text;
}

}  // namespace

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string script(kZshBegin);
  for (std::size_t i = 1; i < commands.size(); ++i) {
    script += "    " + shell_quoted(commands[i].name + ":" + commands[i].meaning) + "\n";
  }
  script += "    'help:help of a command'\n  )\n  _arguments -C";
  for (const CompletedOption& option : commands.front().options) script += specifications(option);
  script += " \\\n        '1:command:->command' '*::argument:->argument'\n  case $state in\n";
  script += "    command) _describe command commands ;;\n    argument)\n      case $words[1] in\n";
  for (std::size_t i = 1; i < commands.size(); ++i) {
    script += fmt::format("      {}) _arguments -s", commands[i].name);
    for (const CompletedOption& option : commands[i].options) script += specifications(option);
    script += " \\\n        '*:file:_files' ;;\n";
  }
  return script + "      help) _describe command commands ;;\n      esac ;;\n  esac\n}\n\n_warpmeter \"$@\"\n";
}

}  // namespace warpmeter
