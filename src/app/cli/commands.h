// The commands of the program: each adds its options to the parser and says what to run; and running the one that a
// command line has, with what the program owes to the system around it: standard descriptors that may be missing,
// signals, its end.
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
void add_packets_command(CLI::App& app, Command& chosen);
void add_coalesce_command(CLI::App& app, Command& chosen);
void add_live_command(CLI::App& app, Command& chosen);
void add_show_command(CLI::App& app, Command& chosen);
void add_info_command(CLI::App& app, Command& chosen);
void add_report_command(CLI::App& app, Command& chosen);
void add_merge_command(CLI::App& app, Command& chosen);
void add_memory_command(CLI::App& app, Command& chosen);
void add_policy_command(CLI::App& app, Command& chosen);

// All of them, --help and --version. `app` is empty until then.
void add_commands(CLI::App& app, Command& chosen);

// Also --help, --version, and what is said of no command at all. Throws Error, PipeClosed and what commands throw.
ExitStatus run_command_line(int argc, char** argv);

// First thing in the program. Closed standard descriptors become ones that cannot be used: a file opened later must
// not get the number of standard error and receive its messages. What would end the program by SIGPIPE or, beyond a
// limit of file size, SIGXFSZ becomes an error of the write, after which everything is cleaned up. Signals are held
// until a command watches for them (interrupt.h).
void prepare_process();

// Runs it; says what it throws, in one line, and gives the exit status. Where nobody reads the output any more it ends
// the program by SIGPIPE after all, without a word, as shells expect it of a filter.
int exit_status_of(const Command& run);

// As app.parse(); `help COMMAND` is `COMMAND --help`. Throws CLI::Success where help or the version was asked for. Else
// throws Error (usage), with the name that was probably meant, or the command that takes such a file.
void parse_command_line(CLI::App& app, int argc, char** argv);

// For `warpmeter` alone: the help, on standard error.
ExitStatus tell_usage(const CLI::App& app);

}  // namespace warpmeter::inline app
