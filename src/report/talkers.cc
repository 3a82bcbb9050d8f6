// Who retransmits: hosts, pairs of hosts and server ports by the share of their data segments.
#include <fmt/format.h>

#include <algorithm>

#include "report/findings.h"
#include "report/html.h"
#include "report/measured.h"
#include "report/names.h"
#include "report/sections.h"
#include "report/words.h"

namespace warpmeter {
namespace {

double share(const Counts& c) {
  return static_cast<double>(c.retransmitted_segments) / static_cast<double>(c.data_segments);
}

template <class Key>
auto worst(const ReportData& data, const CountedBy<Key>& counted, std::size_t rows) {
  const std::uint64_t fewest = fewest_data_segments(data);
  return counted.top(
      rows, [&](const Counts& c) { return c.retransmitted_segments > 0 && c.data_segments >= fewest; }, share);
}

template <class Key, class Name>
std::string table(const ReportData& data, const CountedBy<Key>& counted, std::size_t rows, std::string_view caption,
                  std::string_view key, Name name) {
  const auto entries = worst(data, counted, rows);
  if (entries.empty()) return {};
  const double longest = share(entries.front().second);
  double most = 0;
  for (const auto& [_, c] : entries) most = std::max(most, static_cast<double>(c.retransmitted_segments));
  const std::uint64_t all = data.totals.retransmitted_segments;
  html::Table table(caption,
                    {key, "Retransmitted", "Of all retransmissions", "Retransmissions", "Data segments", "Traffic"});
  for (const auto& [k, c] : entries) {
    table.row({name(k), html::share(c.retransmitted_segments, c.data_segments, longest),
               html::volume(c.retransmitted_segments, all, most / static_cast<double>(all)),
               html::number(c.retransmitted_segments), html::number(c.data_segments), html::bytes(c.bytes)});
  }
  return table.html();
}

std::string section(const std::string& body) { return html::section("talkers", "Who retransmits", body); }

}  // namespace

std::string talkers_section(const ReportData& data, std::size_t rows) {
  const std::string reason = why_not(data, {"retransmitted_segments", "data_segments"});
  if (!reason.empty()) return section(reason);
  const Counts& t = data.totals;
  if (t.retransmitted_segments == 0) {
    return section(html::lead(t.data_segments ? "Nobody: every data segment was sent once."
                                              : "Nobody: no TCP segment carried data."));
  }
  const std::string fewest = words::count(fewest_data_segments(data));
  const std::string tables = table(data, data.hosts, rows, "Hosts, as senders", "Sender", host_cell) +
                             table(data, data.pairs, rows, "Pairs of hosts", "Sender and receiver", pair_cell) +
                             table(data, data.server_ports, rows, "Server ports, both directions", "Port", port_cell);
  std::string body = html::lead(fmt::format(
      "{} of {} were retransmitted. Listed are the largest shares among those with at least {} data segments.",
      words::count(t.retransmitted_segments), words::some(t.data_segments, "data segment"), fewest));
  if (tables.empty()) body += html::note("No host that retransmitted sent as many, so no share would mean much.");
  return section(body + tables + partly(data, "retransmitted_segments") + forgotten(data.hosts, "hosts") +
                 forgotten(data.pairs, "pairs of hosts"));
}

}  // namespace warpmeter
