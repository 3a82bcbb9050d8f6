// What runs: labels by their traffic, and the most frequent texts of other columns.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/page/html.h"
#include "analysis/page/report_data.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

double by_number(const Counts& c) { return static_cast<double>(c.flows); }

std::vector<CountedTexts::Entry> first(const CountedTexts& texts, std::size_t rows, double (*rank)(const Counts&)) {
  return texts.top(
      rows, [](const Counts&) { return true; }, rank);
}

// Names can be long: the mouse finds the rest.
html::Cell text_cell(const std::string& text) {
  constexpr std::size_t kShown = 80;
  const bool cut = text.size() > kShown;
  return {fmt::format("<span class=\"host\">{}{}</span>", html::escaped(text.substr(0, kShown)), cut ? "…" : ""),
          cut ? text : ""};
}

std::string unlisted(const CountedTexts& texts, std::size_t rows, std::string_view what) {
  if (texts.size() <= rows) return {};
  const std::size_t others = texts.size() - rows;
  return html::note(fmt::format("{} {} not listed.", words::some(others, what), others == 1 ? "is" : "are"));
}

std::string labels_table(const ReportData& data, std::size_t rows) {
  const WhatRuns& runs = data.what_runs;
  const Counts& all = data.totals;
  html::Table table("Applications, by label",
                    {"Label", "Of all bytes", "Traffic", "Of all packets", "Packets", "Of all flows", "Flows"});
  const auto row = [&](const html::Cell& name, const Counts& c) {
    table.row({name, html::volume(c.bytes, all.bytes), html::bytes(c.bytes), html::volume(c.packets, all.packets),
               html::number(c.packets), html::volume(c.flows, all.flows), html::number(c.flows)});
  };
  for (const auto& [label, c] : first(runs.labels, rows, by_traffic)) row(text_cell(label), c);
  if (runs.labelled.flows < all.flows) {
    Counts without;
    without.bytes = all.bytes - runs.labelled.bytes;
    without.packets = all.packets - runs.labelled.packets;
    without.flows = all.flows - runs.labelled.flows;
    row({"<span class=\"faint\">none</span>"}, without);
  }
  return table.html() + unlisted(runs.labels, rows, "more label") + forgotten(runs.labels, "labels");
}

std::string column_table(const ReportData& data, const WhatRuns::Column& column, std::size_t rows) {
  const std::vector<CountedTexts::Entry> entries = first(column.texts, rows, by_number);
  const std::uint64_t all = data.totals.flows;
  html::Table table("Most frequent: " + std::string(column.name),
                    {column.name, "Of all flows", "Flows", "Packets", "Traffic"});
  for (const auto& [text, c] : entries) {
    table.row({text_cell(text), html::volume(c.flows, all), html::number(c.flows), html::number(c.packets),
               html::bytes(c.bytes)});
  }
  return table.html() + unlisted(column.texts, rows, "more value") + forgotten(column.texts, "values");
}

std::string what_most_is(const ReportData& data) {
  const WhatRuns& runs = data.what_runs;
  if (runs.labelled.flows == 0) return html::lead("No flow has a label; some have names or the like.");
  const auto [label, c] = first(runs.labels, 1, by_traffic).front();
  return html::lead(fmt::format("{} carries most: {} of the bytes and {} of the flows. {} of {} have a label.",
                                text_cell(label).html, html::escaped(words::percent(c.bytes, data.totals.bytes)),
                                html::escaped(words::percent(c.flows, data.totals.flows)),
                                words::count(runs.labelled.flows), words::some(data.totals.flows, "flow")));
}

}  // namespace

std::string what_runs_section(const ReportData& data, std::size_t rows) {
  const WhatRuns& runs = data.what_runs;
  if (runs.empty()) return {};
  std::string body = what_most_is(data);
  if (runs.labelled.flows > 0) body += labels_table(data, rows);
  for (const bool host : {true, false}) {  // which comes first
    for (const WhatRuns::Column& column : runs.columns) {
      if (runs.is_host(column) == host) body += column_table(data, column, rows);
    }
  }
  if (runs.left_out) {
    body += html::note(fmt::format("There are more columns than {}: the others are not shown.", runs.columns.size()));
  }
  return html::section("what-runs", "What runs here", body);
}

}  // namespace warpmeter::inline analysis
