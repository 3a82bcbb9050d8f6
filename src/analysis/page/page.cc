#include "analysis/page/page.h"

#include <fmt/format.h>

#include "analysis/page/chart_data.h"
#include "analysis/page/html.h"
#include "analysis/page/page_files.h"
#include "analysis/page/page_frame.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

std::string period(const ReportData& data) {
  const std::string first_day = words::day(data.first_ns), last_day = words::day(data.last_ns);
  return fmt::format("{} {} to {}{} UTC", first_day, words::time_of_day(data.first_ns),
                     last_day == first_day ? "" : last_day + " ", words::time_of_day(data.last_ns));
}

std::string content(const ReportData& data, std::size_t rows) {
  if (data.totals.flows == 0) return html::lead("There is not a single flow in the input, and so nothing to report.");
  return tiles(data) + headlines_section(data) + time_section(data) + talkers_section(data, rows) +
         gaps_section(data, rows) + duplicates_section(data, rows) + zero_windows_section(data, rows) +
         sizes_section(data) + make_up_section(data) + reading_section(data);
}

}  // namespace

std::string page(const ReportData& data, const PageOptions& options) {
  const std::string inputs = inputs_of_page(options);
  return framed_page({.title = options.title.empty() ? "Flow report" : options.title,
                      .about = data.totals.flows == 0 ? inputs : period(data) + " · " + inputs,
                      .source = "Flow Records",
                      .content = troubles_of_page(options) + content(data, options.rows),
                      .data = chart_data(data),
                      .charts = kReportChartsJs});
}

}  // namespace warpmeter::inline analysis
