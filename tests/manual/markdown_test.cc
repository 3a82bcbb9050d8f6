// What docs/ use of Markdown becomes what man(7) has for it.
#include "manual/markdown.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace warpmeter {
namespace {

std::string roff_of(const std::string& text) {
  Roff page("a", 1, "2026-01-31", "1");
  const std::size_t before = page.text().size();
  add_markdown(page, markdown_sections("# title\n" + text).front(), {});
  return page.text().substr(before);
}

TEST(MarkdownSections, AreCutAtHeadings) {
  const auto sections = markdown_sections("lost\n# One\na\n\n## Two `x`\n```\n# no heading\n```\n");
  ASSERT_EQ(sections.size(), 2u);
  EXPECT_EQ(sections[0].heading, "One");
  EXPECT_EQ(sections[1].level, 2);
  EXPECT_EQ(without_marks(sections[1].heading), "Two x");
  EXPECT_EQ(sections[1].lines[1], "# no heading");
  EXPECT_EQ(&section_named(sections, "One"), &sections[0]);
  EXPECT_THROW(section_named(sections, "Three"), std::runtime_error);
}

TEST(Markdown, ParagraphsAreFilled) { EXPECT_EQ(roff_of("one\ntwo\n\nthree\n"), ".PP\none two\n.PP\nthree\n"); }

TEST(Markdown, PicturesAreLeftOut) { EXPECT_EQ(roff_of("![a](b.png)\n(c)\n\nd\n"), ".PP\nd\n"); }

TEST(Markdown, CommentsAreLeftOut) {
  EXPECT_EQ(roff_of("a\n<!-- b -->\nc <!-- d -->\n"), ".PP\na c\n");
  EXPECT_EQ(roff_of("```\n<!-- a -->\n```\n"), ".PP\n.RS 4\n.EX\n<!\\-\\- a \\-\\->\n.EE\n.RE\n.nh\n");
}

TEST(Markdown, ItemsGoOnAndHoldOthers) {
  EXPECT_EQ(roff_of("* a\n  b\n* c\n  * d\n\ne\n"),
            ".IP \\(bu 4\na b\n.IP \\(bu 4\nc\n.RS 4\n.IP \\(bu 4\nd\n.RE\n.PP\ne\n");
  EXPECT_EQ(roff_of("1. a\n2. b\n"), ".IP 1. 4\na\n.IP 2. 4\nb\n");
}

TEST(MarkdownSections, KeepSomeParagraphs) {
  MarkdownSection section = markdown_sections("# a\n| x |\n\n`b` c\nd\n\ne\n").front();
  keep_paragraphs(section, [](const std::string& text) { return !text.starts_with('`'); });
  EXPECT_EQ(section.lines, (std::vector<std::string>{"| x |", "", "e"}));
}

TEST(Markdown, CodeStaysAsItIs) { EXPECT_EQ(roff_of("```\n a  b\n```\n"), ".PP\n.RS 4\n.EX\n a  b\n.EE\n.RE\n.nh\n"); }

TEST(Markdown, RowsAreEntries) {
  EXPECT_EQ(roff_of("| | |\n|---|---|\n| `a|b` | c |\n"), ".TP\n\\fBa|b\\fR\nc\n");
  EXPECT_EQ(roff_of("| x | y | z? |\n|---|---|---|\n| a | b | c |\n| d | | e |\n| f | | |\n"),
            ".TP\n\\fBa\\fR\n\\fIy\\fR: b; \\fIz?\\fR c\n.TP\n\\fBd\\fR\n\\fIz?\\fR e\n.IP \\(bu 4\n\\fBf\\fR\n");
}

}  // namespace
}  // namespace warpmeter
