// Words that mean nothing are refused with what was probably meant.
#include "app/cli/commands.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

class CommandLine : public testing::Test {
 protected:
  CommandLine() {
    app_.set_version_flag("--version", "1");
    CLI::App* const extract = app_.add_subcommand("extract");
    extract->add_option("FILE", files_)->required();
    extract->add_option("-m,--memory", memory_)->type_name("SIZE");
    extract->add_flag("--biflow", biflow_);
    extract->add_option("--title", title_)->type_name("TEXT");
    app_.add_subcommand("show")->add_option("--sort", sort_)->type_name("COLUMN");
  }

  void parse(std::vector<std::string> words) {
    words.insert(words.begin(), "warpmeter");
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    parse_command_line(app_, static_cast<int>(pointers.size()), pointers.data());
  }
  std::string said(const std::vector<std::string>& words) {
    return test::thrown_text([&] { parse(words); });
  }

  CLI::App app_{"", "warpmeter"};
  std::vector<std::string> files_;
  std::string memory_, sort_, title_;
  bool biflow_ = false;
};

TEST_F(CommandLine, GivesWhatWasSaid) {
  parse({"extract", "-m", "5", "a", "b"});
  EXPECT_EQ(files_, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(memory_, "5");
}

TEST_F(CommandLine, SuggestsCommands) {
  EXPECT_EQ(said({"extrct"}), "there is no command extrct: did you mean extract? (see warpmeter --help)");
  EXPECT_EQ(said({"xyz"}), "xyz is neither a command nor a file; commands are extract, show (see warpmeter --help)");
  EXPECT_EQ(said({"-m", "5"}), "-m: a command comes first: extract, show (see warpmeter --help)");
}

TEST_F(CommandLine, SuggestsTheCommandForAFile) {
  const test::ScratchFolder folder;
  const std::string capture = folder.write("trace.pcap", {}), flows = folder.write("flows.csv", {});
  EXPECT_EQ(said({capture}), capture + " is a file, not a command: warpmeter extract " + capture);
  EXPECT_EQ(said({flows, "--sort"}), flows + " is a file, not a command: warpmeter show " + flows);
}

TEST_F(CommandLine, SuggestsOptions) {
  EXPECT_EQ(said({"extract", "--memroy", "5"}),
            "extract has no option --memroy: did you mean --memory? (see warpmeter extract --help)");
  EXPECT_EQ(said({"extract", "--memroy=5", "a"}),
            "extract has no option --memroy: did you mean --memory? (see warpmeter extract --help)");
  EXPECT_EQ(said({"extract", "a", "--sort"}),
            "extract has no option --sort: it is one of show (see warpmeter extract --help)");
  EXPECT_EQ(said({"extract", "a", "-x"}), "extract has no option -x (see warpmeter extract --help)");
  EXPECT_EQ(said({"show", "a"}), "a: not expected (see warpmeter show --help)");
}

TEST_F(CommandLine, AnEmptyValueIsNone) {
  EXPECT_EQ(said({"extract", "a", "-m", ""}), "--memory '': there is no value");
  EXPECT_EQ(said({"show", "--sort", ""}), "--sort '': there is no value");
}

// CLI11 takes the next word for the value: a capture would be overwritten.
TEST_F(CommandLine, NothingBehindAnEqualsSignIsAnEmptyValue) {
  EXPECT_EQ(said({"extract", "--memory=", "a", "b"}), "--memory '': there is no value");
  EXPECT_EQ(said({"extract", "a", "--memory="}), "--memory '': there is no value");
  EXPECT_EQ(said({"extract", "--biflow=", "a"}), "--biflow: it takes no value");
  EXPECT_EQ(said({"extract", "--nonsense=", "a"}), "extract has no option --nonsense (see warpmeter extract --help)");
  parse({"extract", "--title=", "a", "b"});
  EXPECT_EQ(files_, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(title_, "");
}

TEST_F(CommandLine, AFlagHasNoValue) {
  EXPECT_EQ(said({"extract", "a", "--biflow=foo"}), "--biflow: it takes no value (see warpmeter extract --help)");
}

TEST_F(CommandLine, BehindTwoDashesNothingIsAnOption) {
  for (const auto& words : {std::vector<std::string>{"extract", "a", "--", "-b"}, {"extract", "--", "a", "-b"}}) {
    files_.clear();
    CommandLine::parse(words);
    EXPECT_EQ(files_, (std::vector<std::string>{"a", "-b"}));
    app_.clear();
  }
  parse({"extract", "a", "-m", "5", "b", "--title=x", "--", "--memory=", "--"});
  EXPECT_EQ(files_, (std::vector<std::string>{"a", "b", "--memory=", "--"}));
  EXPECT_EQ(memory_, "5");
}

TEST_F(CommandLine, WhatIsMissingMayBeMisspelt) {
  EXPECT_EQ(said({"extract", "--memroy=5"}),
            "extract has no option --memroy: did you mean --memory? (see warpmeter extract --help)");
  EXPECT_EQ(said({"extract"}), "FILE is required (see warpmeter extract --help)");
}

TEST_F(CommandLine, HelpIsAlsoACommand) {
  EXPECT_THROW(parse({"help"}), CLI::CallForHelp);
  EXPECT_THROW(parse({"help", "extract"}), CLI::CallForHelp);
  EXPECT_THROW(parse({"extract", "--help"}), CLI::CallForHelp);
  EXPECT_THROW(parse({"--version"}), CLI::CallForVersion);
  EXPECT_EQ(said({"help", "extrct"}), "there is no command extrct: did you mean extract? (see warpmeter --help)");
}

}  // namespace
}  // namespace warpmeter
