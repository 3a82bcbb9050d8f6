#include "cli/help_format.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace warpmeter {
namespace {

constexpr std::size_t kUsualWidth = 80, kSmallestWidth = 50, kLargestWidth = 120;
constexpr std::size_t kTextColumn = 29;  // where the text of options begins

struct UnitHelp {
  const char* type;
  const char* text;
};
constexpr UnitHelp kUnits[] = {{"SIZE", "bytes; with K, M, G, T (1024s) or KB, MB, GB, TB (1000s): 64M, 1.5GiB"},
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

// Appends `text` to what stands on the line already, and breaks it between words.
void append_wrapped(std::string& to, std::string_view text, std::size_t indent, std::size_t width) {
  std::size_t column = to.size() - (to.rfind('\n') + 1);
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!first && column + 1 + end > width) {
      to.append("\n").append(indent, ' ');
      column = indent;
    } else if (!first) {
      to += ' ';
      ++column;
    }
    to += text.substr(0, end);
    column += end;
    first = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// "  left      text"; what is long has its text on the next line.
void append_entry(std::string& to, std::string_view left, std::string_view text, std::size_t text_column,
                  std::size_t width) {
  to += left;
  if (left.size() + 2 > text_column) to.append("\n").append(text_column, ' ');
  else to.append(text_column - left.size(), ' ');
  append_wrapped(to, text, text_column, width);
  to += '\n';
}

// "TEXT:{a,b,c}" -> "a, b or c"; "" for others.
std::string choices(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos) return "";
  std::string list = type.substr(open + 1, close - open - 1);
  const std::size_t last = list.rfind(',');
  if (last != std::string::npos) list.replace(last, 1, " or ");
  for (std::size_t comma = 0; (comma = list.find(',', comma)) != std::string::npos; ++comma)
    list.insert(comma + 1, " ");
  return list;
}

// Without what CLI11 appends: the words, or the bounds, that a value is checked against.
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (!choices(type).empty()) return "WORD";
  std::size_t end = type.size();
  for (const char* check : {":UINT in ", ":INT in ", ":FLOAT in "}) end = std::min(end, type.find(check));
  return type.substr(0, end);
}

std::string left_of(const CLI::Option& option) {
  std::string text = "  ";
  const auto& shorts = option.get_snames();
  const auto& longs = option.get_lnames();
  text += shorts.empty() ? "    " : "-" + shorts.front() + (longs.empty() ? "" : ", ");
  if (!longs.empty()) text += "--" + longs.front();
  if (option.get_type_size() == 0) return text;  // a flag
  return text + " " + type_of(option);
}

std::string text_of(const CLI::Option& option) {
  const std::string words = choices(option.get_type_name());
  return words.empty() ? option.get_description() : words + ": " + option.get_description();
}

class HelpFormat : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const override {
    const std::size_t width = help_width();
    std::string text = wrapped(app->get_description(), width) + "\n" + usage(*app, name, width);
    append_positionals(text, *app, width);
    append_commands(text, *app, width);
    append_groups(text, *app, width);
    const std::string footer = app->get_footer();
    append_units(text, *app, footer, width);
    if (!footer.empty()) text += "\n" + wrapped(footer, width);
    if (has_commands(*app)) text += "\n`" + name + " COMMAND --help` tells the options of a command.\n";
    return text;
  }

 private:
  static std::vector<const CLI::Option*> positionals(const CLI::App& app) {
    return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
  }

  static bool has_commands(const CLI::App& app) {
    return !app.get_subcommands([](const CLI::App*) { return true; }).empty();
  }

  static std::string usage(const CLI::App& app, const std::string& program, std::size_t width) {
    std::string text = "Usage: " + program;
    if (has_commands(app)) return text + " COMMAND [OPTION...] [FILE...]\n";
    text += " [OPTION...]";
    std::string files;
    for (const CLI::Option* option : positionals(app)) {
      const std::string name = option->get_name() + (option->get_expected_max() > 1 ? "..." : "");
      files += option->get_required() ? " " + name : " [" + name + "]";
    }
    std::string line;
    append_wrapped(line, text + files, 7, width);
    return line + "\n";
  }

  static void append_positionals(std::string& text, const CLI::App& app, std::size_t width) {
    if (!positionals(app).empty()) text += "\n";
    for (const CLI::Option* option : positionals(app)) {
      append_entry(text, "  " + option->get_name(), option->get_description(), option->get_name().size() + 4, width);
    }
  }

  static void append_commands(std::string& text, const CLI::App& app, std::size_t width) {
    if (!has_commands(app)) return;
    text += "\nCommands:\n";
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
      append_entry(text, "  " + command->get_name(), command->get_description(), 12, width);
    }
  }

  // Those without a group come last: --help.
  static void append_groups(std::string& text, const CLI::App& app, std::size_t width) {
    std::vector<std::string> groups = app.get_groups();
    const auto rest = std::stable_partition(groups.begin(), groups.end(), [](const auto& g) { return g != "Options"; });
    const bool only_rest = rest == groups.begin();
    for (const std::string& group : groups) {
      const auto options = app.get_options(
          [&group](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
      if (options.empty() || group.empty()) continue;
      text += "\n" + (group == "Options" && !only_rest ? std::string("Others") : group) + ":\n";
      for (const CLI::Option* option : options) {
        append_entry(text, left_of(*option), text_of(*option), has_commands(app) ? 18 : kTextColumn, width);
      }
    }
  }

  static void append_units(std::string& text, const CLI::App& app, const std::string& footer, std::size_t width) {
    std::string units;
    for (const UnitHelp& unit : kUnits) {
      const auto users = app.get_options([&](const CLI::Option* o) {
        return o->nonpositional() && o->get_type_size() != 0 && has_word(o->get_type_name(), unit.type);
      });
      const bool told = !users.empty() || has_word(footer, unit.type);
      if (told) append_entry(units, std::string("  ") + unit.type, unit.text, 8, width);
    }
    if (!units.empty()) text += "\nUnits:\n" + units;
  }
};

std::size_t columns_of(int terminal) {
  winsize size{};
  return ioctl(terminal, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool goes_on(std::string_view paragraph) {
  return !paragraph.empty() && paragraph.front() != ' ' && paragraph.front() != '\n';
}

}  // namespace

std::size_t help_width() {
  const char* const columns = std::getenv("COLUMNS");
  std::size_t width = columns ? std::strtoul(columns, nullptr, 10) : 0;
  if (width == 0) width = columns_of(STDOUT_FILENO);
  if (width == 0) width = columns_of(STDERR_FILENO);
  if (width == 0) width = kUsualWidth;
  return std::clamp(width, kSmallestWidth, kLargestWidth);
}

std::string wrapped(std::string_view text, std::size_t width) {
  std::string all, paragraph;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("  ", indent);
    if (indent == 0 && !line.empty() && goes_on(text)) {
      paragraph.append(line).append(" ");
      continue;
    }
    if (indent == 0) {
      append_wrapped(all, paragraph.append(line), 0, width);
      paragraph.clear();
    } else if (gap == std::string_view::npos) {
      all += line;
    } else {
      const std::size_t column = line.find_first_not_of(' ', gap);
      all += line.substr(0, column);
      append_wrapped(all, line.substr(column), column, width);
    }
    all += '\n';
  }
  return all;
}

void format_help(CLI::App& app) {
  app.set_help_flag("-h,--help", "this text");
  app.formatter(std::make_shared<HelpFormat>());
}

}  // namespace warpmeter
