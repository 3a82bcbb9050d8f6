#include "analysis/page/coalescing.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "analysis/page/html.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

using Json = nlohmann::ordered_json;
using Row = CoalescingSavings::Row;

constexpr std::uint64_t kUsualTimeout = 10;  // average intervals: docs/coalesce.md

std::string lead_of(const CoalescingSavings& savings) {
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

std::string table_of(const CoalescingSavings& savings) {
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

std::string coalescing_section(const CoalescingSavings& savings) {
  if (savings.rows.empty()) return {};
  return html::section(
      "coalescing", "What coalescing would save",
      lead_of(savings) + html::chart("coalescing", "Share of packets saved, by threshold and timeout") +
          table_of(savings) +
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
