#include "manual/sources.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace warpmeter {
namespace {

struct PaperPage {
  std::string_view paper, name;
  int section;
};
// A page of docs/ that is part of a manual page.
constexpr PaperPage kPages[] = {{"README.md", "warpmeter-columns", 5},  {"inputs.md", "warpmeter-extract", 1},
                                {"outputs.md", "warpmeter-extract", 1}, {"limits.md", "warpmeter-extract", 1},
                                {"decode.md", "warpmeter-decode", 1},   {"live.md", "warpmeter-live", 1},
                                {"service.md", "warpmeter-live", 1},    {"growing-folders.md", "warpmeter-live", 1},
                                {"show.md", "warpmeter-show", 1},       {"report.md", "warpmeter-report", 1},
                                {"merge.md", "warpmeter-merge", 1},     {"memory.md", "warpmeter-memory", 1},
                                {"packets.md", "warpmeter-packets", 1}, {"coalesce.md", "warpmeter-coalesce", 1},
                                {"policies.md", "warpmeter-policy", 1}, {"definitions.md", "warpmeter-columns", 5}};

// Not installed (cmake/install_pages.cmake).
bool is_for_contributors(std::string_view paper) {
  return paper == "architecture.md" || paper == "run-files.md" || paper == "CONTRIBUTING.md" || paper == "CHANGELOG.md";
}

}  // namespace

std::vector<MarkdownSection> read_paper(const ManualSources& sources, const std::string& path) {
  std::ifstream file(sources.top / path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file || text.empty()) throw std::runtime_error(path + ": cannot be read");
  return markdown_sections(text);
}

LinkText links_on(const ManualSources& sources, std::string_view here) {
  return [&sources, here = std::string(here)](std::string_view target) -> std::string {
    if (target.find("://") != std::string_view::npos) return roff_literal(target);
    const std::string_view path = target.substr(0, target.find('#'));
    const std::string file(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
    for (const PaperPage& page : kPages) {
      if (page.paper != file) continue;
      if (page.name != here) return page_reference(page.name, page.section);
      return roff_italic(title_of(read_paper(sources, "docs/" + file)));
    }
    const bool is_installed = file.ends_with(".md") && !is_for_contributors(file);
    return is_installed ? roff_literal(sources.pages + "/docs/" + file) : "";
  };
}

std::string title_of(const std::vector<MarkdownSection>& paper) {
  const std::string title = without_marks(paper.front().heading);
  return title.substr(0, title.find(':'));
}

std::string page_reference(std::string_view name, int section) {
  return roff_bold(name) + "(" + std::to_string(section) + ")";
}

Roff begin_page(const ManualSources& sources, std::string_view name, int section, std::string_view summary) {
  Roff roff(name, section, sources.date, sources.version);
  roff.heading("Name");
  roff.paragraph(roff_literal(name) + " \\- " + roff_literal(summary));
  return roff;
}

void add_see_also(Roff& roff, const std::vector<std::string>& commands, std::string_view page) {
  std::vector<std::pair<std::string, int>> pages = {{"warpmeter", 1}};
  for (const std::string& command : commands) pages.emplace_back("warpmeter-" + command, 1);
  pages.insert(pages.end(), {{"tcpdump", 1}, {"warpmeter-columns", 5}, {"pcap-filter", 7}, {"warpmeter-filter", 7}});
  std::string text;
  for (const auto& [name, section] : pages) {
    if (name != page) text += (text.empty() ? "" : ", ") + page_reference(name, section);
  }
  roff.heading("See also");
  roff.paragraph(text);
}

}  // namespace warpmeter
