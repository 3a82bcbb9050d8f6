#include "manual/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "analysis/query/field.h"
#include "analysis/query/sum_key.h"
#include "app/cli/option_text.h"

namespace warpmeter {
namespace {

std::vector<std::string> columns_that(bool (*fits)(const Field&)) {
  std::vector<std::string> names;
  for (const std::string& name : field_names()) {
    if (const auto field = Field::of(name); field && fits(*field)) names.push_back(name);
  }
  return names;
}

// By what --help calls the value.
void complete_value(CompletedOption& option) {
  const auto take = [&option](Completed completed, std::vector<std::string> words = {}) {
    option.completed = completed;
    option.words = std::move(words);
  };
  const std::string& value = option.value;
  if (!option.words.empty()) return take(Completed::words, option.words);
  if (value == "FILE") return take(Completed::file);
  if (value == "FOLDER") return take(Completed::folder);
  if (value == "IFACE") return take(Completed::interface, {"folder:", "shm:", "hpcap:"});
  if (value == "URL") return take(Completed::words, {"udp://", "tcp://"});
  if (value == "auto|LIST|off") return take(Completed::words, {"auto", "off"});
  if (value == "A,B,...") {
    return take(Completed::list, columns_that([](const Field& f) { return !f.in_filters_only(); }));
  }
  if (value == "NAME[,NAME...]|all") {
    std::vector<std::string> names = {"all"};
    for (const AnnexFacts& annex : kAnnexFacts) names.emplace_back(annex.name);
    return take(Completed::list, std::move(names));
  }
  if (value.starts_with("COLUMN")) {
    return take(Completed::words, columns_that([](const Field& f) { return f.is_sortable(); }));
  }
  if (value.starts_with("KEY")) {
    const auto keys = sum_key_names();
    return take(Completed::list, {keys.begin(), keys.end()});
  }
}

CompletedCommand completed(const CLI::App& command) {
  CompletedCommand all{command.get_name(), command.get_description(), {}};
  for (const OptionGroup& group : option_groups(command)) {
    for (const CLI::Option* option : group.options) {
      CompletedOption one;
      for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
      for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
      one.meaning = option->get_description();
      one.value = value_name(*option);
      one.words = value_words(*option);
      one.again = option->get_expected_max() > 1;
      complete_value(one);
      all.options.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace

std::vector<CompletedCommand> completed_commands(const CLI::App& app) {
  std::vector<CompletedCommand> commands = {completed(app)};
  for (const CLI::App* command : commands_of(app)) commands.push_back(completed(*command));
  return commands;
}

std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') quoted += "'\\''";
    else quoted += c;
  }
  return quoted + "'";
}

}  // namespace warpmeter
