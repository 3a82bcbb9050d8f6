// What the traffic is made of: labels by their traffic and the most frequent texts of other columns, protocols, ends;
// and how to read the page.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/page/counts.h"
#include "analysis/page/html.h"
#include "analysis/page/outlier.h"
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

// Those with flows, largest first.
std::vector<std::uint8_t> by_flows(const std::array<Counts, 256>& counts, std::uint64_t Counts::*rank) {
  std::vector<std::uint8_t> numbers;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].flows > 0) numbers.push_back(static_cast<std::uint8_t>(i));
  }
  std::ranges::stable_sort(numbers, [&](std::uint8_t a, std::uint8_t b) { return counts[a].*rank > counts[b].*rank; });
  return numbers;
}

std::string protocols(const ReportData& data) {
  html::Table table("Protocols", {"Protocol", "Of all bytes", "Traffic", "Packets", "Flows"});
  for (const std::uint8_t number : by_flows(data.protocols, &Counts::bytes)) {
    const Counts& c = data.protocols[number];
    table.row({html::text(words::protocol(number)), html::volume(c.bytes, data.totals.bytes), html::bytes(c.bytes),
               html::number(c.packets), html::number(c.flows)});
  }
  return table.html();
}

std::string end_reasons(const ReportData& data) {
  if (!measured(data, {"end_reason"}))
    return html::note("Why flows ended was not told by the meter that wrote this input.");
  html::Table table("Why flows ended", {"Reason", "Of all flows", "Flows", "Traffic"});
  for (const std::uint8_t number : by_flows(data.end_reasons, &Counts::flows)) {
    const Counts& c = data.end_reasons[number];
    table.row({html::text(words::end_reason(number)), html::volume(c.flows, data.totals.flows), html::number(c.flows),
               html::bytes(c.bytes)});
  }
  return table.html() + partly(data, "end_reason");
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

std::string make_up_section(const ReportData& data) {
  const std::vector<std::uint8_t> order = by_flows(data.protocols, &Counts::bytes);
  const Counts& largest = data.protocols[order.front()];
  const std::string lead =
      fmt::format("{} carries {} of the bytes and {} of the flows.", words::protocol(order.front()),
                  html::escaped(words::percent(largest.bytes, data.totals.bytes)),
                  html::escaped(words::percent(largest.flows, data.totals.flows)));
  return html::section("make-up", "What it is made of",
                       html::lead(lead) + "<div class=\"columns\">" + protocols(data) + end_reasons(data) + "</div>\n");
}

std::string reading_section(const ReportData& data) {
  std::string list;
  const auto item = [&](std::string_view term, std::string_view meaning) {
    list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html::escaped(term), html::escaped(meaning));
  };
  item("Flow",
       "one direction of a conversation: its packets have the same source and destination address and port, and "
       "protocol. The two directions of a connection are two flows.");
  if (!data.what_runs.empty()) {
    item("Label, host and the like",
         "what a policy made of the payload when the flows were metered, of both directions of a connection. A flow "
         "with several labels counts for each. Traffic that says nothing of itself has none.");
  }
  item("Data segment", "a TCP segment with payload, copies left out.");
  item("Retransmitted", "a data segment with at least one byte that its flow had carried before.");
  item("Server port", "of a TCP flow, the lower of its two port numbers. Both directions count for it.");
  item("Missing", "sequence numbers between a flow's lowest and highest that no packet carried.");
  item("Copy",
       "the same packet again, shortly after the first: made by the mirror port or the capture, not by the sender.");
  item("Over time",
       fmt::format("intervals of {}, in UTC. A flow's numbers are spread evenly over its duration, so that "
                   "what happens within a long flow is smoothed.",
                   words::width(data.over_time.width_ns())));
  item("At least",
       "in lists, how large a share is with 95 % confidence: the lower end of its 95 % confidence interval (Wilson's "
       "score interval, two-sided), each share by itself. Of a few segments a share says little, and this is far below "
       "it; of many, hardly. The lists by share go by it. It takes segments as independent of each other, which in a "
       "burst "
       "of losses they are not: a host high in a list need not stand out.");
  item("Stands out",
       fmt::format(
           "a host whose share is surely above that of all others together, and at least {} times it. If all shares "
           "were "
           "the same, a host's part of all retransmissions would be binomial, with its part of all data segments as "
           "probability; the exact bound (Clopper and Pearson) below it is wrong with a probability of 5 % divided by "
           "the number of hosts examined, for retransmissions and for closed windows together (Bonferroni): among "
           "many hosts, some look bad by chance.",
           kWorthAWord));
  item("Dispersion",
       "losses come in bursts, and some flows and paths have more than others, so that 30 of 100 say less than 30 "
       "independent "
       "losses would. How many times larger that makes the variance is estimated from the other hosts and their flows, "
       "and "
       "from the flows of the host itself; counts are divided by it before bounds are taken. What stands out does so "
       "without "
       "the host's worst flow too: one flow says nothing of a host.");
  item("Smallest number",
       fmt::format("hosts, pairs and ports with fewer than {} data segments are in no list by share: one segment that "
                   "nobody acknowledges is soon 5 of 6.",
                   kFewestDataSegments));
  return html::section("reading", "How to read this page", "<dl class=\"reading\">\n" + list + "</dl>\n");
}

}  // namespace warpmeter::inline analysis
