#include <CLI/CLI.hpp>
#include <algorithm>

#include "app/cli/option_text.h"
#include "manual/option_sections.h"
#include "manual/pages.h"

namespace warpmeter {
namespace {

// What of docs/ belongs to a command, besides what has a section of its own on every page.
const std::vector<std::string>& papers_of(const std::string& command) {
  static const std::map<std::string, std::vector<std::string>> papers = {
      {"extract", {"docs/inputs.md", "docs/outputs.md", "docs/limits.md"}},
      {"decode", {"docs/decode.md"}},
      {"reassemble", {"docs/streams.md"}},
      {"packets", {"docs/packets.md"}},
      {"coalesce", {"docs/coalesce.md"}},
      {"live", {"docs/live.md", "docs/growing-folders.md", "docs/service.md"}},
      {"show", {"docs/show.md"}},
      {"report", {"docs/report.md"}},
      {"merge", {"docs/merge.md"}},
      {"memory", {"docs/memory.md"}},
      {"policy", {"docs/policies.md"}}};
  static const std::vector<std::string> none;
  const auto found = papers.find(command);
  return found == papers.end() ? none : found->second;
}

bool writes_flow_records(const CLI::App& command) { return command.get_option_no_throw("--format") != nullptr; }

void add_papers(Roff& roff, const std::string& command, const ManualSources& sources) {
  const LinkText links = links_on(sources, "warpmeter-" + command);
  for (const std::string& path : papers_of(command)) {
    const std::vector<MarkdownSection> paper = read_paper(sources, path);
    for (const MarkdownSection& section : paper) {
      if (section.heading == "Exit status" || section.heading == "When files appear") continue;
      if (section.level == 1) roff.heading(title_of(paper));
      else roff.subheading(without_marks(section.heading));
      add_markdown(roff, section, links);
    }
  }
}

void add_synopsis(Roff& roff, const CLI::App& command) {
  std::string text = roff_bold("warpmeter " + command.get_name()) + " [" + roff_italic("OPTION") + "...]";
  for (const CLI::Option* option : positionals_of(command)) text += " " + roff_italic(positional_in_usage(*option));
  roff.heading("Synopsis");
  roff.paragraph(text);
}

void add_description(Roff& roff, const CLI::App& command) {
  roff.heading("Description");
  roff.paragraph(roff_styled(sentence(command.get_description())) + ".");
  for (const CLI::Option* option : positionals_of(command)) {
    roff.entry(roff_italic(option->get_name()), roff_styled(option->get_description()));
  }
}

}  // namespace

std::string command_page(const CLI::App& app, const CLI::App& command, const ManualSources& sources) {
  const std::string name = "warpmeter-" + command.get_name();
  Roff roff = begin_page(sources, name, 1, command.get_description());
  add_synopsis(roff, command);
  add_description(roff, command);
  add_options(roff, command);
  add_units(roff, command);
  add_footer(roff, command);
  add_papers(roff, command.get_name(), sources);
  if (writes_flow_records(command)) {
    roff.heading("Files");
    add_markdown(roff, section_named(read_paper(sources, "docs/outputs.md"), "When files appear"),
                 links_on(sources, name));
  }
  add_exit_status(roff, command, sources, name);
  add_environment(roff, command.get_name());
  add_examples(roff, command);
  add_see_also(roff, names_of_commands(app), name);
  return roff.text();
}

std::string program_page(const CLI::App& app, const ManualSources& sources) {
  const std::string whole = app.get_description();
  Roff roff = begin_page(sources, "warpmeter", 1, whole.substr(whole.find(": ") + 2));
  roff.heading("Synopsis");
  roff.paragraph(roff_bold("warpmeter") + " " + roff_italic("COMMAND") + " [" + roff_italic("OPTION") + "...] [" +
                 roff_italic("FILE") + "...]");
  roff.heading("Description");
  add_markdown(roff, read_paper(sources, "README.md").front(), links_on(sources, "warpmeter"));
  roff.heading("Commands");
  for (const CLI::App* command : commands_of(app)) {
    roff.entry(page_reference("warpmeter-" + command->get_name(), 1), roff_styled(command->get_description()));
  }
  roff.entry(roff_bold("warpmeter help") + " [" + roff_italic("COMMAND") + "]",
             roff_styled("the options of a command, as `warpmeter` *COMMAND* --help does; without one the commands"));
  add_options(roff, app);
  add_exit_status(roff, app, sources, "warpmeter");
  add_environment(roff, "");
  roff.heading("Examples");
  for (const CLI::App* command : commands_of(app)) roff.example(examples_of(*command).front().command);
  add_see_also(roff, names_of_commands(app), "warpmeter");
  return roff.text();
}

}  // namespace warpmeter
