// What the page's script draws from: numbers alone, no text from the input.
#pragma once

#include <string>

#include "analysis/page/report_data.h"

namespace warpmeter::inline analysis {

// JSON that may stand in a <script> element: it holds no '<', '>', '&' and nothing beyond ASCII.
std::string chart_data(const ReportData& data);

// Makes any JSON so, in which all beyond ASCII is escaped.
std::string embedded_json(std::string text);

}  // namespace warpmeter::inline analysis
