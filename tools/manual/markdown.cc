#include "manual/markdown.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <stdexcept>

namespace warpmeter {
namespace {

constexpr std::string_view kFence = "```";

std::string_view stripped(std::string_view text) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  text.remove_prefix(first);
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// "text <!-- comment -->" -> "text"; false: there was none.
bool drop_comment(std::string& line) {
  const std::size_t begin = line.find("<!--"), end = line.find("-->", begin);
  if (begin == std::string::npos || end == std::string::npos) return false;
  line.erase(begin, end + 3 - begin);
  return true;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

// "* " or "12. " behind the indent: its length, 0 if the line is no item.
std::size_t mark_length(std::string_view line) {
  line = stripped(line);
  if (line.starts_with("* ")) return 2;
  const std::size_t digits = line.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string_view::npos && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

// "| a | b |" -> a, b; a bar within `...` is none.
std::vector<std::string> cells_of(std::string_view line) {
  line = stripped(line);
  line.remove_prefix(1);
  std::vector<std::string> cells;
  std::string cell;
  bool literal = false;
  for (const char c : line) {
    literal ^= c == '`';
    if (c != '|' || literal) {
      cell += c;
      continue;
    }
    cells.emplace_back(stripped(cell));
    cell.clear();
  }
  return cells;
}

class Converter {
 public:
  Converter(Roff& page, const MarkdownSection& section, const LinkText& link)
      : page_(page), lines_(section.lines), link_(link) {}

  void run() { blocks(0); }

 private:
  // All that stands at this indent or deeper.
  void blocks(std::size_t indent) {
    while (at_ < lines_.size()) {
      const std::string_view line = lines_[at_];
      if (stripped(line).empty()) {
        ++at_;
        continue;
      }
      if (indent_of(line) < indent) return;
      if (stripped(line).starts_with(kFence)) code(indent_of(line));
      else if (stripped(line).starts_with("|")) table();
      else if (mark_length(line)) item(indent_of(line));
      else paragraph();
    }
  }

  // Of a paragraph, or of an item's first one: to the next blank line or block.
  std::string text_from(std::string_view first) {
    std::string text(stripped(first));
    for (++at_; at_ < lines_.size(); ++at_) {
      const std::string_view line = stripped(lines_[at_]);
      if (line.empty() || line.starts_with(kFence) || line.starts_with("|") || mark_length(line)) break;
      text.append(" ").append(line);
    }
    return text;
  }

  void paragraph() {
    const std::string text = text_from(lines_[at_]);
    if (!text.starts_with("![")) page_.paragraph(styled(text));
  }

  void item(std::size_t indent) {
    const std::string_view line = stripped(lines_[at_]);
    const std::size_t length = mark_length(line);
    const std::string mark = line.front() == '*' ? "\\(bu" : std::string(line.substr(0, length - 1));
    page_.item(mark, styled(text_from(line.substr(length))));
    std::size_t next = at_;
    while (next < lines_.size() && stripped(lines_[next]).empty()) ++next;
    if (next == lines_.size() || indent_of(lines_[next]) <= indent) return;
    page_.indent(true);
    blocks(indent + 1);
    page_.indent(false);
  }

  void code(std::size_t indent) {
    std::string text;
    for (++at_; at_ < lines_.size() && !stripped(lines_[at_]).starts_with(kFence); ++at_) {
      const std::string_view line = lines_[at_];
      text.append(line.substr(std::min(indent, indent_of(line)))).append("\n");
    }
    ++at_;
    page_.example(text);
  }

  // A row is an entry, its first cell the tag; of more than two columns, the others with their titles.
  void table() {
    const std::vector<std::string> titles = cells_of(lines_[at_]);
    for (at_ += 2; at_ < lines_.size() && stripped(lines_[at_]).starts_with("|"); ++at_) {
      const std::vector<std::string> cells = cells_of(lines_[at_]);
      std::string text;
      for (std::size_t i = 1; i < cells.size(); ++i) {
        if (cells[i].empty()) continue;
        const bool named = titles.size() > 2 && i < titles.size() && !titles[i].empty();
        text += (text.empty() ? "" : "; ") +
                (named ? roff_italic(without_marks(titles[i])) + (titles[i].ends_with('?') ? " " : ": ") : "") +
                styled(cells[i]);
      }
      const std::string tag = "\\fB" + roff_literal(without_marks(cells.empty() ? "" : cells[0])) + "\\fR";
      if (text.empty()) page_.item("\\(bu", tag);
      else page_.entry(tag, text);
    }
  }

  std::string styled(std::string_view text) const { return roff_styled(text, link_); }

  Roff& page_;
  const std::vector<std::string>& lines_;
  const LinkText& link_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<MarkdownSection> markdown_sections(std::string_view text) {
  std::vector<MarkdownSection> sections;
  std::istringstream lines{std::string(text)};
  bool in_code = false;
  for (std::string line; std::getline(lines, line);) {
    if (!in_code && drop_comment(line) && stripped(line).empty()) continue;
    in_code ^= stripped(line).starts_with(kFence);
    const std::size_t level = line.find_first_not_of('#');
    if (!in_code && level != 0 && level != std::string::npos && line[level] == ' ') {
      sections.push_back({static_cast<int>(level), line.substr(level + 1), {}});
    } else if (!sections.empty()) {
      sections.back().lines.push_back(line);
    }
  }
  return sections;
}

const MarkdownSection& section_named(const std::vector<MarkdownSection>& sections, std::string_view heading) {
  for (const MarkdownSection& section : sections) {
    if (section.heading == heading) return section;
  }
  throw std::runtime_error("no section '" + std::string(heading) + "'");
}

void keep_paragraphs(MarkdownSection& section, const std::function<bool(const std::string& text)>& is_kept) {
  std::vector<std::string> kept;
  bool keep = true, begins = true;
  for (const std::string& line : section.lines) {
    if (begins) keep = stripped(line).starts_with("|") || is_kept(line);
    begins = stripped(line).empty();
    if (keep) kept.push_back(line);
  }
  section.lines = std::move(kept);
}

void add_markdown(Roff& page, const MarkdownSection& section, const LinkText& link) {
  Converter(page, section, link).run();
}

std::string without_marks(std::string_view heading) {
  std::string bare(heading);
  std::erase_if(bare, [](char c) { return c == '`' || c == '*'; });
  return bare;
}

}  // namespace warpmeter
