// What jobs that read Flow Records tell at their end, as JSON.
#pragma once

#include <string>

#include "report/report.h"
#include "show/show.h"

namespace warpmeter {

std::string summary_json(const ShowSummary& shown);
std::string summary_json(const ReportSummary& written);

}  // namespace warpmeter
