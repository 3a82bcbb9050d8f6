// How --help is laid out, at any width.
#include "app/cli/help_format.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace warpmeter {
namespace {

TEST(Wrapped, FillsParagraphs) {
  EXPECT_EQ(wrapped("one two three", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two three", 13), "one two three\n");
  EXPECT_EQ(wrapped("one two three", 12), "one two\nthree\n");
  EXPECT_EQ(wrapped("one\ntwo\n\nthree", 20), "one two\n\nthree\n");
  EXPECT_EQ(wrapped("title:\n  entry\nafter", 20), "title:\n  entry\nafter\n");
  EXPECT_EQ(wrapped("", 20), "");
}

TEST(Wrapped, WordsThatAreTooLongStandAlone) { EXPECT_EQ(wrapped("a bbbbbbbb c", 4), "a\nbbbbbbbb\nc\n"); }

TEST(Wrapped, MeaningsStayBesideTheirWords) {
  EXPECT_EQ(wrapped("  word  what it means", 17), "  word  what it\n        means\n");
  EXPECT_EQ(wrapped("  a command that is not wrapped", 10), "  a command that is not wrapped\n");
  const std::string below(40, ' ');
  EXPECT_EQ(wrapped(below + "what it means", 48), below + "what it\n" + below + "means\n");
}

class Help : public testing::Test {
 protected:
  Help() {
    setenv("COLUMNS", "60", 1);
    format_help(app_);
  }
  ~Help() override { unsetenv("COLUMNS"); }

  std::string help_of(CLI::App& command) { return command.help("warpmeter"); }

  CLI::App app_{"a program", "warpmeter"};
  std::string word_;
  unsigned number_ = 0;
  bool quiet_ = false;
};

TEST_F(Help, GroupsOptionsInTheirOrder) {
  CLI::App* const command = app_.add_subcommand("extract", "reads");
  command->add_option("FILE", word_, "what to read")->required();
  command->option_defaults()->group("Second");
  command->add_option("-o,--output", word_, "where it goes to, however long that takes to say")->type_name("FILE");
  command->option_defaults()->group("First");
  command->add_option("--format", word_, "format")->check(CLI::IsMember({"csv", "json", "table"}));
  command->add_flag("--quiet", quiet_, "nothing");
  command->add_option("--memory", word_, "memory")->type_name("SIZE");
  command->add_option("--rows", number_, "rows")->type_name("N")->check(CLI::Range(1, 7));
  command->footer("Examples:\n  warpmeter extract a");
  const std::string help = help_of(*command);
  EXPECT_EQ(help.substr(0, help.find("\nOthers:")),
            "reads\n"
            "\n"
            "Usage: warpmeter extract [OPTION...] FILE\n"
            "\n"
            "  FILE  what to read\n"
            "\n"
            "Second:\n"
            "  -o, --output FILE          where it goes to, however long\n"
            "                             that takes to say\n"
            "\n"
            "First:\n"
            "      --format WORD          csv, json or table: format\n"
            "      --quiet                nothing\n"
            "      --memory SIZE          memory\n"
            "      --rows N               rows\n");
  EXPECT_NE(help.find("\nUnits:\n  SIZE  bytes"), std::string::npos) << help;
  EXPECT_NE(help.find("\n  N     a whole number"), std::string::npos) << help;
  EXPECT_EQ(help.find("\n  TIME"), std::string::npos) << help;
  EXPECT_TRUE(help.ends_with("\nExamples:\n  warpmeter extract a\n")) << help;
}

TEST_F(Help, OfTheProgramListsItsCommands) {
  app_.add_subcommand("extract", "reads");
  const std::string help = app_.help();
  EXPECT_NE(help.find("Usage: warpmeter COMMAND"), std::string::npos) << help;
  EXPECT_NE(help.find("\n  extract     reads\n"), std::string::npos) << help;
}

TEST_F(Help, WidthsThatMakeNoSenseAreNotTaken) {
  for (const char* columns : {"0", "-1", "x", "", "1"}) {
    setenv("COLUMNS", columns, 1);
    EXPECT_GE(help_width(), 50u) << columns;
    EXPECT_LE(help_width(), 120u) << columns;
  }
  setenv("COLUMNS", "99", 1);
  EXPECT_EQ(help_width(), 99u);
}

}  // namespace
}  // namespace warpmeter
