// What the pages of docs/ use of Markdown, as parts of manual pages: headings, paragraphs, lists, tables, blocks of
// code. Pictures are left out, with what stands in their paragraph, and comments.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "manual/roff.h"

namespace warpmeter {

struct MarkdownSection {
  int level = 0;        // 1 of a page's title
  std::string heading;  // of the text; may be styled
  std::vector<std::string> lines;
};

std::vector<MarkdownSection> markdown_sections(std::string_view text);

// Throws std::runtime_error if there is none.
const MarkdownSection& section_named(const std::vector<MarkdownSection>& sections, std::string_view heading);

// Leaves out paragraphs, which blank lines are around; a table, or what is no text otherwise, is none.
void keep_paragraphs(MarkdownSection& section, const std::function<bool(const std::string& text)>& is_kept);

// Without its heading.
void add_markdown(Roff& page, const MarkdownSection& section, const LinkText& link);

// "a `b`" -> "a b"
std::string without_marks(std::string_view heading);

}  // namespace warpmeter
