// The report: one HTML page that needs nothing else, no network and no other file.
//
// Figures, sentences and tables are HTML and can be read without a script; the script draws the charts. The same sums
// and options give the same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/page/report_data.h"
#include "core/record_reader.h"

namespace warpmeter::inline analysis {

struct PageOptions {
  std::string title;                                       // empty: a general one
  std::size_t rows = 10;                                   // of each list
  std::vector<std::string> inputs;                         // names, as the user gave them
  std::vector<std::pair<std::string, ReadDamage>> damage;  // of which input
  std::string files = {};                                  // how many they were; empty: as many as names
  std::vector<std::string> unreadable = {};                // messages about files that are not in the page
  std::vector<std::string> metering = {};                  // what the metering of the captures had to say
  bool interrupted = false;                                // reading was stopped before the end
};

std::string page(const ReportData& data, const PageOptions& options);

// What the page's script draws from: numbers alone, no text from the input. JSON that may stand in a <script> element:
// it holds no '<', '>', '&' and nothing beyond ASCII.
std::string chart_data(const ReportData& data);

}  // namespace warpmeter::inline analysis
