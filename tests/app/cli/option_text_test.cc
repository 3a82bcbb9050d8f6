// What the help, the manual and the shells say of options.
#include "app/cli/option_text.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "app/cli/commands.h"

namespace warpmeter {
namespace {

class OptionText : public testing::Test {
 protected:
  CLI::App app_{"a program", "warpmeter"};
  std::string word_;
  bool flag_ = false;
};

TEST_F(OptionText, TellsTheWordsOfAValue) {
  const CLI::Option* option =
      app_.add_option("--format", word_, "the format")->check(CLI::IsMember({"csv", "json", "x"}));
  EXPECT_EQ(value_words(*option), (std::vector<std::string>{"csv", "json", "x"}));
  EXPECT_EQ(value_name(*option), "WORD");
  EXPECT_EQ(explanation(*option), "csv, json or x: the format");
}

TEST_F(OptionText, TellsTheNameOfAValue) {
  EXPECT_EQ(value_name(*app_.add_option("--memory", word_, "m")->type_name("SIZE")), "SIZE");
  EXPECT_EQ(value_name(*app_.add_option("--rows", word_, "m")->type_name("N")->check(CLI::Range(1, 7))), "N");
  EXPECT_EQ(value_name(*app_.add_flag("--quiet", flag_, "q")), "");
  EXPECT_TRUE(value_words(*app_.get_option("--quiet")).empty());
}

TEST_F(OptionText, TellsHowManyPositionalsThereMayBe) {
  std::vector<std::string> words;
  EXPECT_EQ(positional_in_usage(*app_.add_option("FILE", words, "f")), "[FILE...]");
  EXPECT_EQ(positional_in_usage(*app_.add_option("OTHER", word_, "f")->required()), "OTHER");
}

TEST_F(OptionText, FindsExamplesWithTheirMeaning) {
  app_.footer("Notes:\n  a  b\n\nExamples:\n  run this\n  run that  to see\n         what happens\n");
  const std::vector<Example> examples = examples_of(app_);
  ASSERT_EQ(examples.size(), 2u);
  EXPECT_EQ(examples[0].command, "run this");
  EXPECT_EQ(examples[0].meaning, "");
  EXPECT_EQ(examples[1].command, "run that");
  EXPECT_EQ(examples[1].meaning, "to see what happens");
}

// Every command is explained so that the manual has something to say.
TEST(Commands, HaveExamplesOfTheirOwn) {
  CLI::App app;
  Command chosen;
  add_commands(app, chosen);
  ASSERT_GE(commands_of(app).size(), 5u);
  for (const CLI::App* command : commands_of(app)) {
    const std::vector<Example> examples = examples_of(*command);
    ASSERT_FALSE(examples.empty()) << command->get_name();
    for (const Example& example : examples) {
      EXPECT_NE(example.command.find("warpmeter " + command->get_name()), std::string::npos) << example.command;
      EXPECT_EQ(example.command.find("  "), std::string::npos) << example.command;
    }
  }
}

}  // namespace
}  // namespace warpmeter
