#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <new>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/help_format.h"
#include "warpmeter/printable.h"

using namespace warpmeter;

int main(int argc, char** argv) {
  CLI::App app("warpmeter: exact flow meter for packet captures", "warpmeter");
  format_help(app);
  app.set_version_flag("--version", "warpmeter " WARPMETER_VERSION, "its version");
  Command chosen;
  add_extract_command(app, chosen);
  add_show_command(app, chosen);
  add_info_command(app, chosen);
  add_report_command(app, chosen);
  try {
    if (argc <= 1) return static_cast<int>(tell_usage(app));
    parse_command_line(app, argc, argv);
    return static_cast<int>(chosen());
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const Error& error) {
    fmt::print(stderr, "warpmeter: {}\n", printable(error.what()));
    return static_cast<int>(error.status());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "warpmeter: out of memory (--memory limits what flows may take)\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "warpmeter: {}\n", printable(error.what()));
  }
  return static_cast<int>(ExitStatus::failed);
}
