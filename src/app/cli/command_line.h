// The words of the command line, and what is said about those that mean nothing.
#pragma once

#include "warpmeter/status.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// As app.parse(); `help COMMAND` is `COMMAND --help`. Throws CLI::Success where help or the version was asked for. Else
// throws Error (usage), with the name that was probably meant, or the command that takes such a file.
void parse_command_line(CLI::App& app, int argc, char** argv);

// For `warpmeter` alone: the help, on standard error.
ExitStatus tell_usage(const CLI::App& app);

}  // namespace warpmeter::inline app
