// The sections that are mostly a chart: traffic and retransmissions over time, how large flows are, how long handshakes
// took, and what coalescing would save.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "analysis/page/html.h"
#include "analysis/page/page.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

// The bin that holds half of all, counted from the small ones, as the size below which these flows stay.
std::string half_below(const ReportData& data, std::uint64_t Counts::*what) {
  std::uint64_t sum = 0;
  for (std::size_t bits = 0; bits < data.sizes.size(); ++bits) {
    sum += data.sizes[bits].*what;
    if (sum * 2 >= data.totals.*what) return bits < 64 ? words::bytes(std::uint64_t{1} << bits) : "2^64 bytes";
  }
  return {};
}

using Json = nlohmann::ordered_json;
using Row = CoalescingSavings::Row;

constexpr std::uint64_t kUsualTimeout = 10;  // average intervals: docs/coalesce.md

std::string coalescing_lead(const CoalescingSavings& savings) {
  // With the usual timeout, where that was counted.
  const Row& best = *std::ranges::min_element(
      savings.rows, {}, [](const Row& row) { return std::pair(row.timeout_intervals != kUsualTimeout, row.packets); });
  if (best.super_packets == 0) return html::lead("No two packets could be joined.");
  return html::lead(fmt::format(
      "Segments that follow each other, joined to at most {}, would leave {} of {}: {} less for a host to take in. A "
      "super-packet would be {:.1f} packets.",
      html::bytes(best.threshold).html, html::number(best.packets).html, words::some(best.all(), "packet"),
      html::escaped(words::percent(best.saved(), best.all())),
      static_cast<double>(best.joined) / static_cast<double>(best.super_packets)));
}

std::string coalescing_table(const CoalescingSavings& savings) {
  html::Table table(
      "Packets and bytes saved, by threshold and timeout",
      {"Threshold", "Timeout", "Packets saved", "Packets left", "Super-packets", "Packets each", "Header bytes saved"},
      2);
  for (const Row& row : savings.rows) {
    const double each =
        row.super_packets ? static_cast<double>(row.joined) / static_cast<double>(row.super_packets) : 0;
    table.row({html::bytes(row.threshold),
               html::text(fmt::format("{} x average interval", row.timeout_intervals)),
               html::volume(row.saved(), row.all()),
               html::number(row.packets),
               html::number(row.super_packets),
               {fmt::format("{:.1f}", each)},
               html::bytes(row.saved_bytes)});
  }
  return table.html();
}

}  // namespace

std::string time_section(const ReportData& data) {
  const std::string every = words::width(data.over_time.width_ns());
  if (data.over_time.size() < 2) {
    return html::section("time", "Over time",
                         html::lead(fmt::format("All of it lies within {}: too short for a chart.", every)));
  }
  const std::vector<double> bytes = data.over_time.values(kOverBytes);
  const double seconds = static_cast<double>(data.over_time.width_ns()) / 1e9;
  std::string says =
      fmt::format("On average {}, and {} in the busiest interval of {}",
                  words::bit_rate(static_cast<double>(data.totals.bytes) / seconds / static_cast<double>(bytes.size())),
                  words::bit_rate(*std::ranges::max_element(bytes) / seconds), every);
  const bool with_share =
      data.totals.retransmitted_segments > 0 && measured(data, {"retransmitted_segments", "data_segments"});
  if (with_share) says += "; below it, the retransmitted share of the data segments";
  std::string body = html::lead(html::escaped(says + ".")) + html::chart("time", says);
  if (data.tcp_flows > 0 && !measured(data, {"retransmitted_segments", "data_segments"})) {
    body += html::note("Retransmissions were not measured by the meter that wrote this input.");
  }
  return html::section("time", "Over time", body);
}

std::string sizes_section(const ReportData& data) {
  if (data.totals.bytes == 0) {
    return html::section("sizes", "How large flows are",
                         html::lead("The input does not tell how many bytes its flows had."));
  }
  if (std::ranges::count_if(data.sizes, [](const Counts& c) { return c.flows > 0; }) == 1) {
    return html::section(
        "sizes", "How large flows are",
        html::lead(data.totals.flows == 1
                       ? "There is one flow, of " + words::bytes(data.totals.bytes) + "."
                       : "All are about the same size, below " + half_below(data, &Counts::flows) + "."));
  }
  const std::string says =
      fmt::format("Half of the flows are smaller than {}; half of all bytes are in flows smaller than {}",
                  half_below(data, &Counts::flows), half_below(data, &Counts::bytes));
  return html::section("sizes", "How large flows are",
                       html::lead(html::escaped(says + ".")) + html::chart("sizes", says));
}

std::string handshakes_section(const ReportData& data) {
  const auto section = [](const std::string& body) { return html::section("handshakes", "Handshakes", body); };
  if (data.tcp_flows == 0) return section(why_not(data, {"syn_count"}));
  const Handshakes& all = data.handshakes;
  if (all.all == 0 && !data.has_biflows) {
    return section(
        html::lead("How long they took is told by biflows alone: <code>extract --biflow</code> writes them."));
  }
  if (all.all == 0) return section(html::lead("Of no connection a single SYN and a single SYN+ACK were seen."));
  const auto where = [&](double part) {
    std::uint64_t sum = 0;
    std::size_t i = 0;
    while (static_cast<double>(sum += all.counts[i]) < part * static_cast<double>(all.all)) ++i;
    const std::string from = words::duration(0, Handshakes::kFromUs[i] * 1000);
    if (i + 1 == all.counts.size()) return "above " + from;
    const std::string to = words::duration(0, Handshakes::kFromUs[i + 1] * 1000);
    return i == 0 ? "below " + to : fmt::format("between {} and {}", from, to);
  };
  const std::string says = fmt::format("From SYN to SYN+ACK, the median of {} lies {}, the 99th percentile {}",
                                       words::some(all.all, "handshake"), where(0.5), where(0.99));
  return section(html::lead(html::escaped(says + ".")) + html::chart("handshakes", says) +
                 html::note("The time between the point of capture and the server, and back. Connections whose SYN or "
                            "SYN+ACK was sent again are left out."));
}

std::string coalescing_section(const CoalescingSavings& savings) {
  if (savings.rows.empty()) return {};
  return html::section(
      "coalescing", "What coalescing would save",
      coalescing_lead(savings) + html::chart("coalescing", "Share of packets saved, by threshold and timeout") +
          coalescing_table(savings) +
          html::note("As <code>warpmeter coalesce --dry-run</code> counted it. A stack that is interrupted for each "
                     "packet is interrupted less by as many; one that polls takes in as many less."));
}

Json coalescing_chart(const CoalescingSavings& savings) {
  Json list = Json::array();
  for (const Row& row : savings.rows) {
    list.push_back({{"threshold", row.threshold},
                    {"timeout", row.timeout_intervals},
                    {"saved", row.saved()},
                    {"packets", row.all()}});
  }
  return list;
}

}  // namespace warpmeter::inline analysis
