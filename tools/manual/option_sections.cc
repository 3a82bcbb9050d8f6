#include "manual/option_sections.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <sstream>

#include "app/cli/option_text.h"

namespace warpmeter {
namespace {

struct Variable {
  const char* name;
  std::vector<std::string> commands;  // none: all
  const char* meaning;
};

const std::vector<Variable>& variables() {
  static const std::vector<Variable> all = {
      {"COLUMNS", {}, "Width of --help, and of tables on a terminal, instead of the terminal's."},
      {"NO_COLOR", {"extract", "live", "show", "merge"}, "If it is set, and not empty, tables have no colours."},
      {"TERM", {}, "What the terminal is. A dumb one gets neither colours nor a line of progress."},
      {"WARPMETER_HASH_SEED", {"decode"}, "What --hash-seed takes, where other users must not see it."},
      {"WARPMETER_SAMPLE_SEED",
       {"extract", "live"},
       "A secret text: which flows --sample-flows takes. Runs with the same one take the same."},
      {"TMPDIR", {"extract", "reassemble", "live", "merge"}, "Folder for run files, where --tmpdir names none."},
      {"NOTIFY_SOCKET",
       {"live"},
       "Where the manager of services listens: it is told of the start, the state and the end."},
      {"WATCHDOG_USEC", {"live"}, "How often that manager wants to hear that all is well."},
      {"WATCHDOG_PID", {"live"}, "Of which process; WATCHDOG_USEC is not looked at if it is another."}};
  return all;
}

// A paragraph that begins with another command, or with an option that this one has not, is of others: "`live` ...",
// "`--collector`: ...".
bool is_about(const CLI::App& command, const std::string& paragraph) {
  if (!paragraph.starts_with('`')) return true;
  const std::string word = paragraph.substr(1, paragraph.find('`', 1) - 1);
  return word == command.get_name() || (word.starts_with("--") && command.get_option_no_throw(word));
}

std::string tag_of(const CLI::Option& option) {
  std::string tag;
  for (const std::string& name : option.get_snames()) tag += (tag.empty() ? "" : ", ") + roff_bold("-" + name);
  for (const std::string& name : option.get_lnames()) tag += (tag.empty() ? "" : ", ") + roff_bold("--" + name);
  const std::string value = value_name(option);
  return value.empty() ? tag : tag + " " + roff_italic(value);
}

}  // namespace

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  std::sort(names.begin(), names.end());
  return names;
}

void add_options(Roff& roff, const CLI::App& command) {
  roff.heading("Options");
  const std::vector<OptionGroup> groups = option_groups(command);
  for (const OptionGroup& group : groups) {
    if (groups.size() > 1) roff.subheading(group.title);
    for (const CLI::Option* option : group.options) roff.entry(tag_of(*option), roff_styled(explanation(*option)));
  }
}

void add_units(Roff& roff, const CLI::App& command) {
  const std::vector<UnitOfOptions> units = units_of(command, command.get_footer());
  if (units.empty()) return;
  roff.heading("Units");
  for (const UnitOfOptions& unit : units) roff.entry(roff_italic(unit.name), roff_styled(unit.meaning));
}

void add_examples(Roff& roff, const CLI::App& command) {
  roff.heading("Examples");
  for (const Example& example : examples_of(command)) {
    if (!example.meaning.empty()) roff.paragraph(roff_styled(sentence(example.meaning)) + ":");
    roff.example(example.command);
  }
}

void add_exit_status(Roff& roff, const CLI::App& command, const ManualSources& sources, std::string_view page) {
  roff.heading("Exit status");
  MarkdownSection section = section_named(read_paper(sources, "docs/outputs.md"), "Exit status");
  // The page of the program is about all commands.
  if (commands_of(command).empty()) {
    keep_paragraphs(section, [&](const std::string& text) { return is_about(command, text); });
  }
  add_markdown(roff, section, links_on(sources, page));
}

void add_environment(Roff& roff, const std::string& command) {
  roff.heading("Environment");
  for (const Variable& variable : variables()) {
    const auto& users = variable.commands;
    if (!command.empty() && !users.empty() && std::find(users.begin(), users.end(), command) == users.end()) continue;
    roff.entry(roff_bold(variable.name), roff_styled(variable.meaning));
  }
}

void add_help_text(Roff& roff, std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) roff.paragraph(roff_styled(paragraph));
    paragraph.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
    if (indent == 0 && !line.empty()) {
      paragraph += (paragraph.empty() ? "" : " ") + line;
      continue;
    }
    end_paragraph();
    const std::size_t gap = line.find("  ", indent);
    if (line.empty()) continue;
    if (gap == std::string::npos) roff.example(line.substr(indent));
    else
      roff.entry(roff_bold(line.substr(indent, gap - indent)),
                 roff_styled(line.substr(line.find_first_not_of(' ', gap))));
  }
  end_paragraph();
}

void add_footer(Roff& roff, const CLI::App& command) {
  const std::string footer = command.get_footer();
  const std::string text = footer.substr(0, footer.find("Examples:\n"));
  if (text.empty()) return;
  roff.heading("Notes");
  add_help_text(roff, text);
}

}  // namespace warpmeter
