#include "app/cli/option_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

namespace warpmeter::inline app {
namespace {

constexpr UnitOfOptions kUnits[] = {{"SIZE", "bytes; with K, M, G, T (1024s) or KB, MB, GB, TB (1000s): 64M, 1.5GiB"},
                                    {"TIME", "seconds; with ns, us, ms, s, m (minutes), h, d: 300, 1.5s, 100ms, 5m"},
                                    {"N", "a whole number; with K, M, G (1000s): 500K"}};

bool is_word_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word_part(text[at - 1])) && (end == text.size() || !is_word_part(text[end]))) return true;
  }
  return false;
}

}  // namespace

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::string positional_in_usage(const CLI::Option& option) {
  const std::string name = option.get_name() + (option.get_expected_max() > 1 ? "..." : "");
  return option.get_required() ? name : "[" + name + "]";
}

std::vector<OptionGroup> option_groups(const CLI::App& command) {
  std::vector<std::string> names = command.get_groups();
  const auto rest = std::stable_partition(names.begin(), names.end(), [](const auto& g) { return g != "Options"; });
  const bool only_rest = rest == names.begin();
  std::vector<OptionGroup> groups;
  for (const std::string& name : names) {
    auto options = command.get_options(
        [&name](const CLI::Option* option) { return option->get_group() == name && option->nonpositional(); });
    if (options.empty() || name.empty()) continue;
    groups.push_back({name == "Options" && !only_rest ? "Others" : name, std::move(options)});
  }
  return groups;
}

// CLI11 tells the words as "TEXT:{a,b,c}".
std::vector<std::string> value_words(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.rfind('}');
  std::vector<std::string> words;
  if (open == std::string::npos || close == std::string::npos) return words;
  for (std::size_t from = open + 1; from < close;) {
    const std::size_t comma = std::min(type.find(',', from), close);
    words.push_back(type.substr(from, comma - from));
    from = comma + 1;
  }
  return words;
}

// Without what CLI11 appends: the words, or the bounds, that a value is checked against.
std::string value_name(const CLI::Option& option) {
  if (option.get_type_size() == 0) return "";
  if (!value_words(option).empty()) return "WORD";
  const std::string type = option.get_type_name();
  std::size_t end = type.size();
  for (const char* check : {":UINT in ", ":INT in ", ":FLOAT in "}) end = std::min(end, type.find(check));
  return type.substr(0, end);
}

std::string explanation(const CLI::Option& option) {
  const std::vector<std::string> words = value_words(option);
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return (text.empty() ? "" : text + ": ") + option.get_description();
}

std::vector<UnitOfOptions> units_of(const CLI::App& command, std::string_view more) {
  std::vector<UnitOfOptions> units;
  for (const UnitOfOptions& unit : kUnits) {
    const auto users = command.get_options([&](const CLI::Option* o) {
      return o->nonpositional() && o->get_type_size() != 0 && has_word(o->get_type_name(), unit.name);
    });
    if (!users.empty() || has_word(more, unit.name)) units.push_back(unit);
  }
  return units;
}

// "  COMMAND  what it does"; a line that is deeper goes on with what the one above does.
std::vector<Example> examples_of(const CLI::App& command) {
  constexpr std::string_view kTitle = "Examples:\n";
  const std::string footer = command.get_footer();
  std::vector<Example> examples;
  const std::size_t title = footer.find(kTitle);
  if (title == std::string::npos) return examples;
  std::istringstream lines(footer.substr(title + kTitle.size()));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string::npos) break;
    const std::size_t gap = indent == 2 ? line.find("  ", indent) : 0;
    const std::size_t meaning = gap == std::string::npos ? gap : line.find_first_not_of(' ', gap);
    if (indent == 2) examples.push_back({line.substr(indent, gap - indent), ""});
    if (meaning == std::string::npos || examples.empty()) continue;
    std::string& all = examples.back().meaning;
    all += (all.empty() ? "" : " ") + line.substr(meaning);
  }
  return examples;
}

}  // namespace warpmeter::inline app
