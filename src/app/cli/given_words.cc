#include "app/cli/given_words.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

using Words = std::vector<std::string>;

const CLI::App* command_of(const CLI::App& app, const Words& words) {
  const auto found = app.get_subcommands([&words](const CLI::App* c) { return c->get_name() == words.front(); });
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

}  // namespace

std::vector<std::string> words_for_parser(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* const command = words.empty() ? nullptr : command_of(app, words);
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

}  // namespace warpmeter::inline app
