#include "app/cli/help_format.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "app/cli/option_text.h"

namespace warpmeter::inline app {
namespace {

constexpr std::size_t kCommandColumn = 14;  // behind the longest command
constexpr std::size_t kUsualWidth = 80, kSmallestWidth = 50, kLargestWidth = 120;
constexpr std::size_t kTextColumn = 29;  // where the text of options begins

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

std::string left_of(const CLI::Option& option) {
  std::string text = "  ";
  const auto& shorts = option.get_snames();
  const auto& longs = option.get_lnames();
  text += shorts.empty() ? "    " : "-" + shorts.front() + (longs.empty() ? "" : ", ");
  if (!longs.empty()) text += "--" + longs.front();
  const std::string value = value_name(option);
  return value.empty() ? text : text + " " + value;
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
    if (!commands_of(*app).empty()) text += "\n" + help_of_commands(name, width);
    return text;
  }

 private:
  static std::string help_of_commands(const std::string& name, std::size_t width) {
    return wrapped("`" + name + " help COMMAND` or `" + name + " COMMAND --help` tells the options of a command.",
                   width);
  }

  static std::string usage(const CLI::App& app, const std::string& program, std::size_t width) {
    std::string text = "Usage: " + program;
    if (!commands_of(app).empty()) return text + " COMMAND [OPTION...] [FILE...]\n";
    text += " [OPTION...]";
    for (const CLI::Option* option : positionals_of(app)) text += " " + positional_in_usage(*option);
    std::string line;
    append_wrapped(line, text, 7, width);
    return line + "\n";
  }

  static void append_positionals(std::string& text, const CLI::App& app, std::size_t width) {
    if (!positionals_of(app).empty()) text += "\n";
    for (const CLI::Option* option : positionals_of(app)) {
      append_entry(text, "  " + option->get_name(), option->get_description(), option->get_name().size() + 4, width);
    }
  }

  static void append_commands(std::string& text, const CLI::App& app, std::size_t width) {
    if (commands_of(app).empty()) return;
    text += "\nCommands:\n";
    for (const CLI::App* command : commands_of(app)) {
      append_entry(text, "  " + command->get_name(), command->get_description(), kCommandColumn, width);
      const std::vector<Example> examples = examples_of(*command);
      if (!examples.empty()) text += std::string(kCommandColumn, ' ') + examples.front().command + "\n";
    }
  }

  static void append_groups(std::string& text, const CLI::App& app, std::size_t width) {
    const std::size_t column = commands_of(app).empty() ? kTextColumn : 18;
    for (const OptionGroup& group : option_groups(app)) {
      text += "\n" + group.title + ":\n";
      for (const CLI::Option* option : group.options) {
        append_entry(text, left_of(*option), explanation(*option), column, width);
      }
    }
  }

  static void append_units(std::string& text, const CLI::App& app, const std::string& footer, std::size_t width) {
    std::string units;
    for (const UnitOfOptions& unit : units_of(app, footer)) {
      append_entry(units, "  " + std::string(unit.name), unit.meaning, 8, width);
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
    } else if (gap == std::string_view::npos && indent >= kTextColumn) {  // a meaning below what it is of
      all.append(indent, ' ');
      append_wrapped(all, line.substr(indent), indent, width);
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

}  // namespace warpmeter::inline app
