#include <fmt/format.h>

#include "manual/completion.h"

namespace warpmeter {
namespace {

// Words end at '=' and ':' there, so that `--format=cs` has three.
constexpr std::string_view kBashBegin =
    R"bash(# Completes warpmeter in bash. Written by write_manual, from the options of the program.

_warpmeter_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }

# The last one of several between commas.
_warpmeter_list() {
    local before=
    [[ $cur != *,* ]] || before=${cur%,*},
    mapfile -t COMPREPLY < <(compgen -P "$before" -W "$1" -- "${cur##*,}")
    compopt -o nospace
}

_warpmeter_folders() {
    mapfile -t COMPREPLY < <(compgen -d -- "$cur")
    compopt -o filenames
}

_warpmeter_interfaces() {
    local -a there=(/sys/class/net/*)
    _warpmeter_words "${there[*]##*/} $1"
    [[ ${COMPREPLY[0]} != *: ]] || compopt -o nospace
}

_warpmeter() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= i
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]}; break; }
    done
    COMPREPLY=()
    if [[ $cur == = ]]; then
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    elif [[ $cur == : || $prev == : ]]; then
        # folder:PATH, bytes:desc
        local name=${COMP_WORDS[COMP_CWORD-1]}
        [[ $cur == : ]] && cur= || name=${COMP_WORDS[COMP_CWORD-2]}
        if [[ $name == folder ]]; then _warpmeter_folders; else _warpmeter_words 'asc desc'; fi
        return
    fi
    case $command,$prev in
)bash";

constexpr std::string_view kBashEnd = R"bash(    esac
}

complete -o bashdefault -o default -F _warpmeter warpmeter
)bash";

std::string bash_action(const CompletedOption& option) {
  const std::string words = shell_quoted(fmt::format("{}", fmt::join(option.words, " ")));
  switch (option.completed) {
    case Completed::words: return "_warpmeter_words " + words;
    case Completed::list: return "_warpmeter_list " + words;
    case Completed::folder: return "_warpmeter_folders";
    case Completed::interface: return "_warpmeter_interfaces " + words;
    case Completed::file: return ":";  // which is what readline does if nothing is said
    case Completed::nothing: break;
  }
  return "compopt +o default +o bashdefault";
}

std::string all_names(const CompletedCommand& command) {
  std::string names;
  for (const CompletedOption& option : command.options) {
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

}  // namespace

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::string script(kBashBegin), names;
  for (std::size_t i = 1; i < commands.size(); ++i) names += commands[i].name + " ";
  for (std::size_t i = 1; i < commands.size(); ++i) {
    const CompletedCommand& command = commands[i];
    for (const CompletedOption& option : command.options) {
      if (option.value.empty()) continue;
      std::string patterns;
      for (const std::string& name : option.names) {
        patterns += (patterns.empty() ? "" : " | ") + command.name + "," + name;
      }
      script += fmt::format("    {})\n        {}\n        return ;;\n", patterns, bash_action(option));
    }
  }
  script += "    esac\n    case $command,$cur in\n";
  script += fmt::format("    ,-*) _warpmeter_words {} ;;\n", shell_quoted(all_names(commands.front())));
  script += fmt::format("    ,*) _warpmeter_words {} ;;\n", shell_quoted(names + "help"));
  script += fmt::format("    help,*) _warpmeter_words {} ;;\n", shell_quoted(names));
  for (std::size_t i = 1; i < commands.size(); ++i) {
    script +=
        fmt::format("    {},-*) _warpmeter_words {} ;;\n", commands[i].name, shell_quoted(all_names(commands[i])));
  }
  return script + std::string(kBashEnd);
}

}  // namespace warpmeter
