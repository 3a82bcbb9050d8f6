#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <sstream>

#include "cli/commands.h"
#include "cli/process.h"
#include "pipeline/messages.h"

using namespace warpmeter;

static ExitStatus run(int argc, char** argv) {
  CLI::App app("warpmeter: exact flow meter for captures. `warpmeter COMMAND --help` tells more.", "warpmeter");
  app.set_version_flag("--version", "warpmeter " WARPMETER_VERSION);
  app.require_subcommand(1);
  Command chosen;
  add_extract_command(app, chosen);
  add_show_command(app, chosen);
  add_info_command(app, chosen);
  add_report_command(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    app.exit(wanted, text, text);
    put(text.str());
    return ExitStatus::ok;
  } catch (const CLI::ParseError& error) {
    warn(fmt::format("{} (see --help)", error.what()));
    return ExitStatus::usage;
  }
  return chosen();
}

int main(int argc, char** argv) {
  prepare_process();
  return exit_status_of([&] { return run(argc, argv); });
}
