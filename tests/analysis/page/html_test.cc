// What comes from outside is text, whatever it looks like.
#include "analysis/page/html.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

TEST(Html, EscapesMarkup) {
  EXPECT_EQ(html::escaped("<b a=\"1\" c='2'>&amp;</b>"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;");
}

TEST(Html, KeepsUtf8) { EXPECT_EQ(html::escaped("Größe → 漢字 😀"), "Größe → 漢字 😀"); }

TEST(Html, ReplacesWhatIsNoUtf8) {
  const std::string no = "\xEF\xBF\xBD";
  EXPECT_EQ(html::escaped("a\xFFz"), "a" + no + "z");
  EXPECT_EQ(html::escaped("\xC3"), no);                                              // cut short
  EXPECT_EQ(html::escaped("\xC0\xAF"), no + no);                                     // overlong
  EXPECT_EQ(html::escaped("\xE0\x80\x80"), no + no + no);                            // overlong
  EXPECT_EQ(html::escaped("\xED\xA0\x80"), no + no + no);                            // a surrogate
  EXPECT_EQ(html::escaped("\xF4\x90\x80\x80"), no + no + no + no);                   // beyond Unicode
  EXPECT_EQ(html::escaped("\xE2\x82<"), no + no + "&lt;");                           // does not swallow what follows
  EXPECT_EQ(html::escaped(std::string_view("\0\n\x1b\x7f", 4)), no + no + no + no);  // controls
}

TEST(Html, TablesEscapeTitlesAndHeads) {
  html::Table table("a<b", {"k<", "n>"});
  table.row({html::text("<i>"), html::Cell{"1", "\"quoted\"", 0.25}});
  const std::string text = table.html();
  EXPECT_NE(text.find("<caption>a&lt;b</caption>"), std::string::npos);
  EXPECT_NE(text.find("<th scope=\"col\">k&lt;</th><th scope=\"col\" class=\"n\">n&gt;</th>"), std::string::npos);
  EXPECT_NE(text.find("<th scope=\"row\">&lt;i&gt;</th>"), std::string::npos);
  EXPECT_NE(text.find("title=\"&quot;quoted&quot;\""), std::string::npos);
  EXPECT_NE(text.find("width:25.0%"), std::string::npos);
}

TEST(Html, RowsHaveWhatTheyAreSortedByAndTheFilterOfTheirCommands) {
  html::Table table("hosts", {"host", "packets"}, 1, {.sort = "packets", .verdicts = "duplicate"});
  table.row({html::text("a"), html::number(1'234'567)}, "addr 10.0.0.1");
  table.row({html::text("b"), html::text("none")});
  const std::string text = table.html();
  EXPECT_NE(text.find("<table data-sort=\"packets\" data-verdicts=\"duplicate\">"), std::string::npos);
  EXPECT_NE(text.find("<tr data-filter=\"addr 10.0.0.1\">"), std::string::npos);
  EXPECT_NE(text.find("data-v=\"1234567\">1.23 M</td>"), std::string::npos);
  EXPECT_NE(text.find("<tr><th scope=\"row\">b</th><td class=\"n\">none</td></tr>"), std::string::npos);
}

TEST(Html, CellsOfAHeatMapHaveTheirDepth) {
  html::Table table("memory", {"timeout", "1K"});
  html::Cell cell = html::text("0.5");
  cell.heat = 0.25;
  table.row({html::text("1 s"), cell});
  EXPECT_NE(table.html().find("<td class=\"n heat\" style=\"--heat:25%\">0.5</td>"), std::string::npos);
}

TEST(Html, NumbersHaveTheirExactValueInTheTitle) {
  EXPECT_EQ(html::number(12).title, "");
  EXPECT_EQ(html::number(1'234'567).html, "1.23 M");
  EXPECT_EQ(html::number(1'234'567).title, "1,234,567");
  EXPECT_EQ(html::bytes(2048).html, "2 KiB");
  EXPECT_EQ(html::bytes(2048).title, "2,048 bytes");
  EXPECT_EQ(html::share(1, 8).html, "12 %");
  EXPECT_EQ(html::share(1, 8).bar, 0.125);
  EXPECT_EQ(html::share(1, 8).title, "1 of 8");
  EXPECT_EQ(html::share(0, 0).bar, 0);
}

}  // namespace
}  // namespace warpmeter
