// What the traffic is made of, and how to read the page.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analysis/page/counts.h"
#include "analysis/page/html.h"
#include "analysis/page/outlier.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

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
