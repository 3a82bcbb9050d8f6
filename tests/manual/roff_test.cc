// What roff would take for its own is shown as it is, and what is literal or an option stands out.
#include "manual/roff.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

TEST(RoffLiteral, HidesWhatMeansSomething) {
  EXPECT_EQ(roff_literal("a\\nb"), "a\\enb");
  EXPECT_EQ(roff_literal("--top"), "\\-\\-top");
  EXPECT_EQ(roff_literal("'a' \"b\" `c` ~ ^"), "\\(aqa\\(aq \\(dqb\\(dq \\(gac\\(ga \\(ti \\(ha");
}

TEST(RoffStyled, MakesOptionsBold) {
  EXPECT_EQ(roff_styled("see --top, -o"), "see \\fB\\-\\-top\\fR, \\fB\\-o\\fR");
  EXPECT_EQ(roff_styled("(--idle-timeout)"), "(\\fB\\-\\-idle\\-timeout\\fR)");
  EXPECT_EQ(roff_styled("--collector-..."), "\\fB\\-\\-collector\\fR\\-...");
}

TEST(RoffStyled, LeavesOtherDashesAlone) {
  EXPECT_EQ(roff_styled("- is standard input"), "\\- is standard input");
  EXPECT_EQ(roff_styled("a-b --- 5-7"), "a\\-b \\-\\-\\- 5\\-7");
  EXPECT_EQ(roff_styled("x--top"), "x\\-\\-top");
}

TEST(RoffStyled, TakesMarkdown) {
  EXPECT_EQ(roff_styled("`a b` **c `d`** *e*"), "\\fBa b\\fR \\fBc d\\fR \\fIe\\fR");
  EXPECT_EQ(roff_styled("2 * 3 * 4"), "2 * 3 * 4");
  EXPECT_EQ(roff_styled("an ` alone, ** and [ too"), "an \\(ga alone, ** and [ too");
}

TEST(RoffStyled, TellsWhereLinksLead) {
  const LinkText link = [](std::string_view target) { return target == "#here" ? "" : "PAGE"; };
  EXPECT_EQ(roff_styled("[words](a.md)", link), "words (PAGE)");
  EXPECT_EQ(roff_styled("[a.md](../docs/a.md#b)", link), "PAGE");
  EXPECT_EQ(roff_styled("[below](#here).", link), "below.");
}

std::string behind_title(const Roff& page) { return page.text().substr(page.text().find(".ad l\n") + 6); }

TEST(RoffPage, BreaksLinesAndBeginsNoneLikeARequest) {
  Roff page("a", 1, "2026-01-31", "1");
  page.heading("b");
  page.paragraph(".csv " + std::string(78, 'x') + " 'q'");
  EXPECT_EQ(behind_title(page), ".SH \"B\"\n\\&.csv\n" + std::string(78, 'x') + "\n\\&'q'\n");
}

TEST(RoffPage, KeepsExamplesAsTheyAre) {
  Roff page("a", 1, "2026-01-31", "1");
  page.paragraph("p");
  page.example("  two  gaps\n.x\n");
  EXPECT_EQ(behind_title(page), ".PP\np\n.PP\n.RS 4\n.EX\n  two  gaps\n\\&.x\n.EE\n.RE\n.nh\n");
}

TEST(RoffPage, IsOfItsDate) {
  EXPECT_NE(Roff("a-b", 5, "2026-01-31", "1.2").text().find(".TH \"A\\-B\" 5 2026-01-31 \"warpmeter 1.2\""),
            std::string::npos);
}

}  // namespace
}  // namespace warpmeter
