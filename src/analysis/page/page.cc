#include "analysis/page/page.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/page/html.h"
#include "analysis/page/page_frame.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

using Json = nlohmann::ordered_json;

// Two decimals are enough for eyes, whole numbers are shorter without.
Json short_numbers(const std::vector<double>& values, double unit = 1) {
  Json list = Json::array();
  for (const double value : values) {
    const double rounded = std::round(value / unit * 100) / 100;
    if (rounded == std::floor(rounded) && std::abs(rounded) < 1e15) list.push_back(static_cast<std::int64_t>(rounded));
    else list.push_back(rounded);
  }
  return list;
}

Json over_time(const TimeSeries& series) {
  return {{"first_ms", series.first_ms()},
          {"width_ms", series.width_ns() / 1'000'000},
          {"bytes", short_numbers(series.values(kOverBytes))},
          {"packets", short_numbers(series.values(kOverPackets))},
          {"data", short_numbers(series.values(kOverDataSegments))},
          {"retransmitted", short_numbers(series.values(kOverRetransmitted))},
          {"missing", short_numbers(series.values(kOverMissing))},
          {"flows", short_numbers(series.values(kOverTellingFlows), kFlowUnit)},
          {"flows_with_gaps", short_numbers(series.values(kOverTellingFlowsWithGaps), kFlowUnit)}};
}

// Bins from the first to the last that has flows; `bits`: sizes from 2^(bits-1) on.
Json sizes(const ReportData& data) {
  std::size_t first = 0, last = data.sizes.size() - 1;
  while (first < last && data.sizes[first].flows == 0) ++first;
  while (last > first && data.sizes[last].flows == 0) --last;
  Json list = Json::array();
  for (std::size_t bits = first; bits <= last; ++bits) {
    list.push_back({{"bits", bits}, {"flows", data.sizes[bits].flows}, {"bytes", data.sizes[bits].bytes}});
  }
  return list;
}

Json duplicates(const ReportData& data) {
  Json list = Json::array();
  for (const Counts& c : data.duplicate_shares) list.push_back({{"copies", c.duplicate_packets}, {"flows", c.flows}});
  return list;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// REQUIRES: all beyond ASCII is escaped.
std::string embedded_json(std::string text) {
  replace_all(text, "<", "\\u003c");
  replace_all(text, ">", "\\u003e");
  replace_all(text, "&", "\\u0026");
  return text;
}

std::string period(const ReportData& data) {
  const std::string first_day = words::day(data.first_ns), last_day = words::day(data.last_ns);
  return fmt::format("{} {} to {}{} UTC", first_day, words::time_of_day(data.first_ns),
                     last_day == first_day ? "" : last_day + " ", words::time_of_day(data.last_ns));
}

std::string content(const ReportData& data, std::size_t rows) {
  if (data.totals.flows == 0) return html::lead("There is not a single flow in the input, and so nothing to report.");
  return tiles(data) + headlines_section(data) + time_section(data) + what_runs_section(data, rows) +
         talkers_section(data, rows) + gaps_section(data, rows) + duplicates_section(data, rows) +
         zero_windows_section(data, rows) + sizes_section(data) + make_up_section(data) + reading_section(data);
}

}  // namespace

std::string chart_data(const ReportData& data) {
  const Json document = {
      {"time", over_time(data.over_time)},
      {"retransmissions",
       data.totals.retransmitted_segments > 0 && measured(data, {"retransmitted_segments", "data_segments"})},
      {"sizes", sizes(data)},
      {"duplicates", duplicates(data)},
  };
  return embedded_json(document.dump(-1, ' ', true, Json::error_handler_t::replace));
}

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
