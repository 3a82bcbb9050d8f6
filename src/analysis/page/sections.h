// The sections of the page, each as HTML: a heading, what it shows in a sentence, a place for its chart, its tables.
//
// Where nothing was found they say so; where the meters that wrote the files did not count it, they say that.
#pragma once

#include <cstddef>
#include <string>

#include "analysis/page/report_data.h"

namespace warpmeter::inline analysis {

// REQUIRES, of all of them: at least one flow.
std::string tiles(const ReportData& data);
std::string headlines_section(const ReportData& data);
std::string time_section(const ReportData& data);
std::string talkers_section(const ReportData& data, std::size_t rows);
std::string gaps_section(const ReportData& data, std::size_t rows);
std::string duplicates_section(const ReportData& data, std::size_t rows);
std::string zero_windows_section(const ReportData& data, std::size_t rows);
std::string sizes_section(const ReportData& data);
std::string make_up_section(const ReportData& data);
std::string reading_section(const ReportData& data);

}  // namespace warpmeter::inline analysis
