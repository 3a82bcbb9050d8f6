#include "app/cli/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "analysis/query/field.h"
#include "app/cli/option_text.h"
#include "base/program/messages.h"
#include "base/words/printable.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

using Words = std::vector<std::string>;

const CLI::App* command_of(const CLI::App& app, const std::string& word) {
  const auto found = app.get_subcommands([&word](const CLI::App* c) { return c->get_name() == word; });
  return found.empty() ? nullptr : found.front();
}

bool takes_value(const CLI::App& command, const std::string& name) {
  const CLI::Option* const option = command.get_option_no_throw(name);
  return option && option->get_items_expected_max() != 0;
}

void add_without_value(const CLI::App& command, const std::string& word, Words& words) {
  const std::string name = word.substr(0, word.size() - 1);
  const CLI::Option* const option = command.get_option_no_throw(name);
  if (option && option->get_items_expected_max() == 0) throw Error(name + ": it takes no value", ExitStatus::usage);
  if (!option) return words.push_back(word);  // to be told of as any other that is not there
  words.push_back(name);
  words.emplace_back();
}

// -q is alone, -o has its value in the next word, -oFILE has it with it; of -qo the last one counts.
bool has_value_in_next(const CLI::App& command, const std::string& word) {
  if (word.starts_with("--")) return takes_value(command, word);
  for (std::size_t i = 1; i < word.size(); ++i) {
    if (takes_value(command, std::string("-") + word[i])) return i + 1 == word.size();
  }
  return false;
}

// Options, then --, then what is no option: before it and behind it.
Words with_separator_before_names(const CLI::App& command, const Words& words, Words::const_iterator separator) {
  Words options = {words.front()}, names;
  for (auto at = words.begin() + 1; at < separator; ++at) {
    if (at->size() < 2 || !at->starts_with('-')) {
      names.push_back(*at);
      continue;
    }
    options.push_back(*at);
    if (has_value_in_next(command, *at) && at + 1 < separator) options.push_back(*++at);
  }
  names.insert(names.end(), separator + 1, words.end());
  if (!names.empty()) options.emplace_back("--");
  options.insert(options.end(), std::make_move_iterator(names.begin()), std::make_move_iterator(names.end()));
  return options;
}

// The words of a command line, so that CLI11 takes them as users mean them. `words` are the arguments, the first of
// them perhaps a command. Throws Error (usage).
//   --stats= is --stats and an empty value, where CLI11 would take the next word, perhaps an input, for the value.
//   a.pcap -- -b.pcap is -- a.pcap -b.pcap, where CLI11 would give what is behind to nobody.
Words words_for_parser(const CLI::App& app, const Words& words) {
  const CLI::App* const command = words.empty() ? nullptr : command_of(app, words.front());
  if (!command) return words;
  Words all;
  bool is_value = false;
  auto at = words.begin();
  for (; at != words.end() && (is_value || *at != "--"); ++at) {
    const bool empty = !is_value && at->size() > 3 && at->starts_with("--") && at->find('=') + 1 == at->size();
    is_value = !is_value && at->starts_with('-') && has_value_in_next(*command, *at);
    if (empty) add_without_value(*command, *at, all);
    else all.push_back(*at);
  }
  if (at == words.end()) return all;
  const auto separator = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), at, words.end());
  return with_separator_before_names(*command, all, all.begin() + separator);
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return names;
}

// The options as they are written.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

bool is_one_of(const std::string& name, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_there(const std::string& word) {
  std::error_code error;
  return word == "-" || std::filesystem::exists(word, error);
}

bool holds_flow_records(const std::string& word) {
  static constexpr const char* kSuffixes[] = {".csv", ".json", ".jsonl", ".ndjson", ".ipfix", ".parquet"};
  return std::any_of(std::begin(kSuffixes), std::end(kSuffixes), [&](const char* s) { return word.ends_with(s); });
}

// The one that was probably meant; "" if none was. Of short ones, any would be near any other.
std::string near_option(const std::string& name, const std::vector<std::string>& options) {
  if (!name.starts_with("--")) return "";
  const std::vector<std::string> near = near_names(name, options);
  return near.empty() ? "" : near.front();
}

// What stands for an option of other programs that read and write captures.
std::string_view as_others_say(const std::string& option) {
  if (option == "-r") return "what is read is named without an option";
  if (option == "-w") return "what is written is named by -o";
  return "";
}

// REQUIRES: `word` is no command and no option of `app`.
Error no_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = names_of(app);
  std::string why;
  if (word == "cluster") {  // whatever file is called so
    return Error("cluster is a command of the Python package: pip install '.[cluster]' (see docs/cluster.md)",
                 ExitStatus::usage);
  }
  if (is_there(word)) {
    why = fmt::format("{} is a file, not a command: warpmeter {} {}", word,
                      holds_flow_records(word) ? "show" : "extract", word);
  } else if (const auto meant = near_option(word, options_of(app)); !meant.empty()) {
    why = fmt::format("there is no option {}: did you mean {}?", word, meant);
  } else if (word.starts_with("-")) {
    why = fmt::format("{}: a command comes first: {}", word, fmt::join(names, ", "));
  } else if (const auto near = near_names(word, names); !near.empty()) {
    why = fmt::format("there is no command {}: did you mean {}?", word, near.front());
  } else {
    why = fmt::format("{} is neither a command nor a file; commands are {}", word, fmt::join(names, ", "));
  }
  return Error(why + (is_there(word) ? "" : " (see warpmeter --help)"), ExitStatus::usage);
}

std::string see(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? " (see warpmeter --help)" : " (see warpmeter " + chosen.front()->get_name() + " --help)";
}

// One that was given and the command does not have.
std::optional<std::string> unknown_option(const CLI::App& command) {
  const std::vector<std::string> rest = command.remaining();
  const auto option = std::find_if(rest.begin(), rest.end(),
                                   [](const auto& word) { return word.starts_with("-") && !word.starts_with("-="); });
  return option == rest.end() ? std::nullopt : std::optional(*option);
}

// What nobody took: options that the command does not have, or one file too many.
Error not_expected(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  const CLI::App& command = chosen.empty() ? app : *chosen.front();
  const std::optional<std::string> option = unknown_option(command);
  if (!option) {
    return Error(fmt::format("{}: not expected{}", fmt::join(command.remaining(), " "), see(app)), ExitStatus::usage);
  }
  const std::string name = option->substr(0, option->find('='));
  std::string why = fmt::format("{} has no option {}", command.get_name(), name);
  const std::string_view hint = as_others_say(name);  // more likely meant than an option of another command
  for (const CLI::App* other : commands_of(app)) {
    if (hint.empty() && is_one_of(name, options_of(*other))) {
      return Error(fmt::format("{}: it is one of {}{}", why, other->get_name(), see(app)), ExitStatus::usage);
    }
  }
  if (const std::string near = near_option(name, options_of(command)); !near.empty()) {
    why += fmt::format(": did you mean {}?", near);
  } else if (!hint.empty()) {
    why.append(": ").append(hint);
  }
  return Error(why + see(app), ExitStatus::usage);
}

// The option of that name, of the command that the user chose; null if there is none.
const CLI::Option* chosen_option(const CLI::App& app, const std::string& name) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? nullptr : chosen.front()->get_option_no_throw(name);
}

// "" where it was given no more often than it may be.
std::string said_of_several(const CLI::Option& option) {
  const std::vector<std::string> results = option.results();
  if (option.get_expected_max() > 1 || results.size() < 2) return "";
  return fmt::format("{}: it takes one value, and {} were given: {}", option.get_name(), results.size(),
                     fmt::join(results, ", "));
}

// What CLI11 says begins with the option, and goes on with types of its own.
Error said_of_value(const CLI::App& app, const CLI::ParseError& error) {
  const std::string said = error.what();
  const CLI::Option* const option = chosen_option(app, said.substr(0, said.find(':')));
  if (!option) return Error(said + see(app), ExitStatus::usage);
  if (const std::string several = said_of_several(*option); !several.empty()) {
    return Error(several + see(app), ExitStatus::usage);
  }
  const std::vector<std::string> words = value_words(*option);
  const std::string form = words.empty() ? value_name(*option) : fmt::format("{}", fmt::join(words, ", "));
  for (const std::string& result : option->results()) {
    if (words.empty() || is_one_of(result, words)) continue;
    return Error(fmt::format("{} {}: not one of {}{}", option->get_name(), shortened(result), form, see(app)),
                 ExitStatus::usage);
  }
  if (!option->results().empty()) return Error(said + see(app), ExitStatus::usage);
  return Error(fmt::format("{}: its value is missing: {}{}", option->get_name(), form, see(app)), ExitStatus::usage);
}

// Values are text until they are looked at; only that of a flag is one that CLI11 would turn into something.
Error said_of_conversion(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  for (const CLI::Option* option : (chosen.empty() ? &app : chosen.front())->get_options()) {
    const std::string said = error.what();
    if (option->get_items_expected_max() != 0 || said.find(option->get_name() + ' ') == std::string::npos) continue;
    return Error(option->get_name() + ": it takes no value" + see(app), ExitStatus::usage);
  }
  return Error(error.what() + see(app), ExitStatus::usage);
}

// With the first example of the command, which has all that is required. What is missing may just be misspelt.
Error said_of_required(const CLI::App& app, const CLI::ParseError& error) {
  const auto chosen = app.get_subcommands();
  if (!chosen.empty() && unknown_option(*chosen.front())) return not_expected(app);
  const std::vector<Example> examples = chosen.empty() ? std::vector<Example>() : examples_of(*chosen.front());
  const std::string as_in = examples.empty() ? "" : fmt::format(", as in: {}", examples.front().command);
  return Error(error.what() + as_in + see(app), ExitStatus::usage);
}

// "--mtu requires --collector", as all that goes together is told.
Error said_of_needed(const CLI::App& app, const CLI::ParseError& error) {
  constexpr std::string_view kRequires = " requires ";
  std::string said = error.what();
  if (const std::size_t at = said.find(kRequires); at != std::string::npos) {
    said.replace(at, kRequires.size(), " goes with ");
  }
  return Error(said + see(app), ExitStatus::usage);
}

// Otherwise an empty value, as of a variable of a script that is not set, would be taken for none.
void refuse_empty_values(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {
    for (const CLI::Option* option : command->get_options()) {
      const std::string type = option->get_type_name();
      if (type.empty() || type == "TEXT") continue;  // flags, and what may be empty
      if (option->count() == 0 || !is_one_of("", option->results())) continue;
      throw Error(option->get_name() + " '': there is no value", ExitStatus::usage);
    }
  }
}

}  // namespace

void parse_command_line(CLI::App& app, int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "help") {
    words.erase(words.begin());
    words.emplace_back("--help");
  }
  if (!words.empty() && !command_of(app, words.front()) &&
      !(words.front().starts_with('-') && is_one_of(words.front(), options_of(app)))) {
    throw no_command(app, words.front());
  }
  words = words_for_parser(app, words);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app.parse(words);
    refuse_empty_values(app);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ExtrasError&) {
    throw not_expected(app);
  } catch (const CLI::RequiredError& error) {
    throw said_of_required(app, error);
  } catch (const CLI::RequiresError& error) {
    throw said_of_needed(app, error);
  } catch (const CLI::ConversionError& error) {
    throw said_of_conversion(app, error);
  } catch (const CLI::ValidationError& error) {
    throw said_of_value(app, error);
  } catch (const CLI::ArgumentMismatch& error) {
    throw said_of_value(app, error);
  } catch (const CLI::ParseError& error) {
    throw Error(error.what() + see(app), ExitStatus::usage);
  }
}

ExitStatus tell_usage(const CLI::App& app) {
  say(app.help());
  return ExitStatus::usage;
}

}  // namespace warpmeter::inline app
