// What jobs that read Flow Records tell at their end: as JSON, and in lines for the user.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "command/report/report.h"
#include "command/show/show.h"

namespace warpmeter {

std::string summary_json(const ShowSummary& shown);
std::string summary_json(const ReportSummary& written);

// What the command warns of, and of what stands in its last line only, what changes the numbers. `place`: as of
// warnings_of().
std::vector<std::string> lines_of(const FilesRead& read, std::string_view place);

}  // namespace warpmeter
