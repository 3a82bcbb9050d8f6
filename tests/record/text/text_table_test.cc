// Columns of a table at every width of a terminal.
#include "record/text/text_table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace warpmeter {
namespace {

using Rows = std::vector<std::vector<std::string>>;

const std::vector<TableColumn> kFlow = {{"SOURCE", true, 0, true, false},   {"DESTINATION", true, 0, true, false},
                                        {"PROTO", true, 4, false, false},   {"START", false, 6, false, false},
                                        {"RETRANS", false, 0, false, true}, {"END", true, 5, false, false}};

std::string table(const Rows& rows, TableStyle style, std::vector<TableColumn> columns = kFlow) {
  std::string text;
  TextTable table(std::move(columns), style, [&text](std::string_view lines) { text += lines; });
  for (const auto& row : rows) table.add(row);
  table.end();
  return text;
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

const Rows kShort = {{"10.0.0.1:1", "10.0.0.2:443", "tcp", "22:13", "3", "idle"},
                     {"10.0.0.1:2", "10.0.0.2:53", "udp", "22:14", "", "end of flow"}};
const std::vector<std::string> kLong = {
    "[2001:db8:1:2:3:4:5:6]:40000", "[2001:db8:1:2:3:4:5:7]:443", "tcp", "22:15", "7", "idle"};

TEST(TextTable, HasAllColumnsWhereNoWidthIsKnown) {
  EXPECT_EQ(table(kShort, {}),
            "SOURCE      DESTINATION   PROTO  START  RETRANS  END\n"
            "10.0.0.1:1  10.0.0.2:443  tcp    22:13        3  idle\n"
            "10.0.0.1:2  10.0.0.2:53   udp    22:14        -  end of flow\n");
}

TEST(TextTable, LeavesOutTheHighestRanksAndSaysSo) {
  EXPECT_EQ(table(kShort, {.width = 60}), table(kShort, {}));
  EXPECT_EQ(table(kShort, {.width = 55}),
            "SOURCE      DESTINATION   PROTO  RETRANS  END\n"
            "10.0.0.1:1  10.0.0.2:443  tcp          3  idle\n"
            "10.0.0.1:2  10.0.0.2:53   udp          -  end of flow\n"
            "No room for START: --wide, or a wider terminal, shows\n"
            "them.\n");
  EXPECT_EQ(table(kShort, {.width = 34}).substr(0, 34), "SOURCE      DESTINATION   RETRANS\n");
}

TEST(TextTable, LongCellsLoseTheirMiddle) {
  Rows rows = kShort;
  rows.push_back(kLong);
  EXPECT_EQ(table(rows, {.width = 44}),
            "SOURCE             DESTINATION       RETRANS\n"
            "10.0.0.1:1         10.0.0.2:443            3\n"
            "10.0.0.1:2         10.0.0.2:53             -\n"
            "[2001:db..6]:40000 [2001:db..:7]:443       7\n"
            "No room for PROTO, START, END: --wide, or a\n"
            "wider terminal, shows them.\n");
}

// Blanks go first, then middles of long cells, and only then columns that matter.
TEST(TextTable, ShortensBeforeItLeavesOut) {
  const std::vector<TableColumn> columns = {{"SOURCE", true, 0, true}, {"DESTINATION", true, 0, true},
                                            {"PROTO", true, 4},        {"RETRANS", false, 0},
                                            {"DUP", false, 1},         {"MISSING", false, 3}};
  const Rows rows = {{"10.0.0.1:40000", "192.168.100.200:443", "tcp", "3", "1", "183"}};
  EXPECT_EQ(table(rows, {.width = 60}, columns).substr(0, 58),
            "SOURCE          DESTINATION          RETRANS  DUP  MISSING");
  EXPECT_EQ(table(rows, {.width = 54}, columns).substr(0, 54),
            "SOURCE         DESTINATION         RETRANS DUP MISSING");
  EXPECT_EQ(table(rows, {.width = 50}, columns).substr(0, 102),
            "SOURCE         DESTINATION     RETRANS DUP MISSING\n"
            "10.0.0.1:40000 192.168..00:443       3   1     183\n");
  EXPECT_EQ(table(rows, {.width = 42}, columns).substr(0, 42), "SOURCE         DESTINATION     RETRANS DUP");
  EXPECT_EQ(table(rows, {.width = 32}, columns).substr(0, 32), "SOURCE      DESTINATION  RETRANS");
}

TEST(TextTable, TellsWhatItsSignsMean) {
  const std::vector<TableColumn> columns = {{"SOURCE", true, 0, true}, {"RETRANS", false, 0}, {"OOO", false, 9}};
  const Rows rows = {{"[2001:db8::1:2:3]:40000", ".", "1"}};
  EXPECT_EQ(table(rows, {.width = 24, .legend = true}, columns),
            "SOURCE           RETRANS\n"
            "[2001:d..]:40000       .\n"
            "No room for OOO: --wide,\n"
            "or a wider terminal,\n"
            "shows them.\n"
            ". none; .. shortened\n"
            "(--wide: in full);\n"
            "RETRANS segments\n"
            "retransmitted\n");
  EXPECT_EQ(table({{"a", "", "7"}}, {.legend = true}, columns),
            "SOURCE  RETRANS  OOO\n"
            "a             -    7\n"
            "- not known, or not of this protocol; RETRANS segments retransmitted; OOO\n"
            "segments out of order\n");
  EXPECT_EQ(table({{"a"}}, {.legend = true}, {{"SOURCE", true}}), "SOURCE\na\n");
}

TEST(TextTable, KeepsPortsWhole) {
  const std::string text =
      table({{"[2001:db8:1:2:3:4:5:6]:50001", "7"}}, {.width = 16}, {{"SOURCE", true, 0, true}, {"N"}});
  EXPECT_NE(text.find("[2001..]:50001 7"), std::string::npos) << text;
}

TEST(TextTable, CutsBetweenCharacters) {
  const std::string text = table({{"\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6\xc3\xb6", "1"}}, {.width = 15},
                                 {{"HOST", true, 0, true}, {"N"}});
  EXPECT_NE(text.find("\xc3\xb6\xc3\xb6\xc3\xb6..\xc3\xb6\xc3\xb6 "), std::string::npos) << text;
}

// Those behind the first thousand were not known when the widths were chosen.
TEST(TextTable, LateLongCellsTearNothing) {
  Rows rows(1200, kShort.front());
  rows.push_back(kLong);
  for (const std::size_t width : {40, 50, 60, 80, 100, 200}) {
    const std::string text = table(rows, {.width = width});
    EXPECT_LE(widest(text), width);
  }
  EXPECT_GT(widest(table(rows, {})), 60u);  // where nobody says how wide: on the line, pushed to the right
}

TEST(TextTable, StaysWithinEveryWidthThatIsPossible) {
  Rows rows = kShort;
  rows.push_back(kLong);
  for (std::size_t width = 36; width < 130; ++width) {
    const std::string text = table(rows, {.width = width});
    EXPECT_LE(widest(text), width) << text;
    for (const std::string& cell : {std::string("40000"), std::string(":443"), kShort[0][1], std::string("RETRANS")}) {
      EXPECT_NE(text.find(cell), std::string::npos) << cell << " at " << width;
    }
  }
}

TEST(TextTable, ColumnsThatTheUserChoseStay) {
  std::vector<TableColumn> chosen = kFlow;
  for (TableColumn& column : chosen) column.rank = 0;
  EXPECT_EQ(table(kShort, {.width = 30}, chosen), table(kShort, {}));
}

TEST(TextTable, ColoursTitlesAndTrouble) {
  const std::string text = table({kShort[0], {"a", "b", "c", "d", ".", "e"}}, {.colours = true});
  EXPECT_NE(text.find("\033[1mSOURCE\033[0m"), std::string::npos);
  EXPECT_NE(text.find("22:13        \033[33m3\033[0m  idle\n"), std::string::npos) << text;
  EXPECT_NE(text.find("        .  e\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace warpmeter
