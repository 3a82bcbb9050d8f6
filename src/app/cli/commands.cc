#include "app/cli/commands.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "app/cli/command_line.h"
#include "app/cli/help_format.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"

namespace warpmeter::inline app {

void add_commands(CLI::App& app, Command& chosen) {
  app.name("warpmeter");
  app.description("warpmeter: exact flow meter for packet captures");
  format_help(app);
  app.set_version_flag("--version", "warpmeter " WARPMETER_VERSION, "its version");
  add_extract_command(app, chosen);
  add_decode_command(app, chosen);
  add_reassemble_command(app, chosen);
  add_live_command(app, chosen);
  add_show_command(app, chosen);
  add_info_command(app, chosen);
  add_report_command(app, chosen);
  add_merge_command(app, chosen);
  add_memory_command(app, chosen);
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

}  // namespace warpmeter::inline app
