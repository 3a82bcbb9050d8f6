// What shells complete behind `warpmeter`: commands, options and their values, from the options as the program has
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace warpmeter {

enum class Completed : std::uint8_t {
  nothing,  // a number, or what nobody can guess
  words,    // one of them
  list,     // of them, between commas
  file,
  folder,
  interface,  // of the network, or a word
};

struct CompletedOption {
  std::vector<std::string> names;  // "-o", "--output"
  std::string meaning;
  std::string value;  // its name; "" of a flag
  Completed completed = Completed::nothing;
  std::vector<std::string> words;
  bool again = false;  // it may be given more than once
};

struct CompletedCommand {
  std::string name, meaning;
  std::vector<CompletedOption> options;
};

// The first one is the program itself, without a command.
std::vector<CompletedCommand> completed_commands(const CLI::App& app);

std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);
std::string fish_completion(const std::vector<CompletedCommand>& commands);

// 'text' for all three.
std::string shell_quoted(std::string_view text);

}  // namespace warpmeter
