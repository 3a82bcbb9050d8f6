#include "manual/manual.h"

#include <CLI/CLI.hpp>

#include "app/cli/option_text.h"
#include "manual/pages.h"

namespace warpmeter {

ManualFiles manual_pages(const CLI::App& app, const ManualSources& sources) {
  ManualFiles files;
  files["man1/warpmeter.1"] = program_page(app, sources);
  for (const CLI::App* command : commands_of(app)) {
    files["man1/warpmeter-" + command->get_name() + ".1"] = command_page(app, *command, sources);
  }
  files["man5/warpmeter-columns.5"] = columns_page(app, sources);
  files["man7/warpmeter-filter.7"] = filter_page(app, sources);
  return files;
}

}  // namespace warpmeter
