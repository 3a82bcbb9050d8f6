#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <new>

#include "cli/commands.h"

using namespace warpmeter;

int main(int argc, char** argv) {
  CLI::App app("warpmeter: exact flow meter for captures. `warpmeter COMMAND --help` tells more.", "warpmeter");
  app.set_version_flag("--version", "warpmeter " WARPMETER_VERSION);
  app.require_subcommand(1);
  Command chosen;
  add_extract_command(app, chosen);
  add_show_command(app, chosen);
  add_info_command(app, chosen);
  try {
    app.parse(argc, argv);
    return static_cast<int>(chosen());
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "warpmeter: {} (see --help)\n", error.what());
    return static_cast<int>(ExitStatus::usage);
  } catch (const Error& error) {
    fmt::print(stderr, "warpmeter: {}\n", error.what());
    return static_cast<int>(error.status());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "warpmeter: out of memory (--memory limits what flows may take)\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "warpmeter: {}\n", error.what());
  }
  return static_cast<int>(ExitStatus::failed);
}
