// The options of `report`, for its command line and for programs that name them themselves (src/library/).
#pragma once

#include "command/report/report.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// All of the command but the inputs. `options` must outlive the parsing.
void add_page_options(CLI::App& command, ReportOptions& options);

}  // namespace warpmeter::inline app
