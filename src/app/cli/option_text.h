// What is said of commands and their options, for all who say it: --help, the manual pages, what shells complete.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmeter::inline app {

std::vector<const CLI::App*> commands_of(const CLI::App& app);

std::vector<const CLI::Option*> positionals_of(const CLI::App& command);
std::string positional_in_usage(const CLI::Option& option);  // "[FILE...]"

struct OptionGroup {
  std::string title;
  std::vector<const CLI::Option*> options;
};
// In the order in which they were added; those without a group come last, as "Others", or as "Options" if there is no
// group.
std::vector<OptionGroup> option_groups(const CLI::App& command);

// What stands behind the option: "SIZE", "WORD"; "" of a flag.
std::string value_name(const CLI::Option& option);
// The words that it may be; none where it may be anything.
std::vector<std::string> value_words(const CLI::Option& option);
// What the option does, with these words before it.
std::string explanation(const CLI::Option& option);

struct UnitOfOptions {
  std::string_view name, meaning;
};
// Those that options of the command have, or that `more` names.
std::vector<UnitOfOptions> units_of(const CLI::App& command, std::string_view more);

struct Example {
  std::string command, meaning;  // the latter may be ""
};
// Those of its footer.
std::vector<Example> examples_of(const CLI::App& command);

// What `show --help` says behind its options, in parts: the manual pages take them, too.
std::string columns_help();
extern const std::string_view kFilterHelp, kFoldersHelp, kSumsHelp, kShowMemoryHelp, kShowExamples;

// All of them.
std::string show_help();

}  // namespace warpmeter::inline app
