#include "app/cli/commands.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <sstream>

#include "app/cli/help_format.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"

namespace warpmeter::inline app {
namespace {

constexpr int kEndedBySignal = 128;  // as shells tell it

}  // namespace

void add_commands(CLI::App& app, Command& chosen) {
  app.name("warpmeter");
  app.description("warpmeter: exact flow meter for packet captures");
  format_help(app);
  app.set_version_flag("--version", "warpmeter " WARPMETER_VERSION, "its version");
  app.require_subcommand(0, 1);  // behind a command the name of another is a word, as in: show --top 5 by packets
  add_extract_command(app, chosen);
  add_decode_command(app, chosen);
  add_reassemble_command(app, chosen);
  add_packets_command(app, chosen);
  add_coalesce_command(app, chosen);
  add_live_command(app, chosen);
  add_show_command(app, chosen);
  add_info_command(app, chosen);
  add_report_command(app, chosen);
  add_merge_command(app, chosen);
  add_memory_command(app, chosen);
  add_policy_command(app, chosen);
}

ExitStatus run_command_line(int argc, char** argv) {
  CLI::App app;
  Command chosen;
  add_commands(app, chosen);
  try {
    if (argc <= 1) {
      let_signals_in();
      return tell_usage(app);
    }
    parse_command_line(app, argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    let_signals_in();
    std::ostringstream text;
    app.exit(wanted, text, text);
    put(text.str());
    return ExitStatus::ok;
  }
  return chosen();
}

void prepare_process() {
  hold_signals();
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest free number, so this one. Opened for what it is not used for: to use it fails as if it were closed.
    const int flags = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (open("/dev/null", flags) < 0) open("/", O_PATH);
  }
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

int exit_status_of(const Command& run) {
  try {
    return static_cast<int>(run());
  } catch (const PipeClosed&) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
    return kEndedBySignal + SIGPIPE;  // it is blocked
  } catch (const Error& error) {
    warn(error.what());
    return static_cast<int>(error.status());
  } catch (const std::exception& error) {
    warn(failure_words(error));
  }
  return static_cast<int>(ExitStatus::failed);
}

}  // namespace warpmeter::inline app
