// The commands of the program: each adds its options to the parser and says what to run; and running the one that a
// command line has.
#pragma once

#include <functional>

#include "warpmeter/status.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

using Command = std::function<ExitStatus()>;

// Adds the command to `app`. If the user chose it, parsing sets `chosen`; calling that runs it.
void add_extract_command(CLI::App& app, Command& chosen);
void add_decode_command(CLI::App& app, Command& chosen);
void add_reassemble_command(CLI::App& app, Command& chosen);
void add_live_command(CLI::App& app, Command& chosen);
void add_show_command(CLI::App& app, Command& chosen);
void add_info_command(CLI::App& app, Command& chosen);
void add_report_command(CLI::App& app, Command& chosen);
void add_merge_command(CLI::App& app, Command& chosen);
void add_memory_command(CLI::App& app, Command& chosen);

// All of them, --help and --version. `app` is empty until then.
void add_commands(CLI::App& app, Command& chosen);

// Also --help, --version, and what is said of no command at all. Throws Error, PipeClosed and what commands throw.
ExitStatus run_command_line(int argc, char** argv);

}  // namespace warpmeter::inline app
