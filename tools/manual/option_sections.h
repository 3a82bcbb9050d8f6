// Sections that the pages of commands share: what is known of a command's options, examples and surroundings.
#pragma once

#include <string>
#include <vector>

#include "manual/sources.h"

namespace CLI {
class App;
}

namespace warpmeter {

std::vector<std::string> names_of_commands(const CLI::App& app);

void add_options(Roff& roff, const CLI::App& command);  // by groups
void add_footer(Roff& roff, const CLI::App& command);   // what --help says behind the options, without the examples
void add_units(Roff& roff, const CLI::App& command);
void add_examples(Roff& roff, const CLI::App& command);
void add_exit_status(Roff& roff, const CLI::App& command, const ManualSources& sources, std::string_view page);
// For all commands, or for one: nothing if it asks for none.
void add_environment(Roff& roff, const std::string& command);

std::string sentence(std::string text);  // begins with a capital

// Text of --help: "  word  what it means" is an entry, other lines that begin with spaces are examples.
void add_help_text(Roff& roff, std::string_view text);

}  // namespace warpmeter
