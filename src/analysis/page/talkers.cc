// Who sends most, and who retransmits: hosts, pairs of hosts and server ports, by how much and by the share of their
// data segments.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/page/confidence.h"
#include "analysis/page/counts.h"
#include "analysis/page/html.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

// "27 of 89"
html::Cell segments(const Counts& c) {
  const auto of = [&](auto text) { return text(c.retransmitted_segments) + " of " + text(c.data_segments); };
  const std::string shown = of(words::count), exact = of(words::exact);
  html::Cell cell = {shown, shown == exact ? "" : exact};
  cell.value = static_cast<double>(c.retransmitted_segments);
  return cell;
}

html::Cell lower_bound(const Counts& c) {
  html::Cell cell = html::text(at_least_percent(c.retransmitted_segments, c.data_segments));
  cell.value = at_least(c.retransmitted_segments, c.data_segments);
  return cell;
}

// Whose flows the row offers.
std::string sender_of(const HostKey& host) { return host_name(host); }
std::string sender_of(const HostPairKey&) { return {}; }
std::string sender_of(const PortKey&) { return {}; }

template <class Entries, class Name>
std::string table(const ReportData& data, const Entries& entries, const std::string& caption, std::string_view key,
                  Name name) {
  if (entries.empty()) return {};
  const std::uint64_t all = data.totals.retransmitted_segments;
  html::Table table(
      caption,
      {key, "Segments retransmitted", "Share of data segments", "At least (95 %)", "Of all retransmissions", "Traffic"},
      1, {.sort = "retransmitted_segments", .verdicts = "retransmitted"});
  for (const auto& [k, c] : entries) {
    html::Cell with_bar = html::share(c.retransmitted_segments, c.data_segments);
    with_bar.sure = at_least(c.retransmitted_segments, c.data_segments);
    table.row({name(data, k), segments(c), with_bar, lower_bound(c), html::volume(c.retransmitted_segments, all),
               html::bytes(c.bytes)},
              filter_of(data, k), sender_of(k));
  }
  return table.html();
}

// Two lists, or one where both are the same.
template <class Key, class Sums, class Name>
std::string tables(const ReportData& data, const CountedBy<Key, Sums>& counted, std::size_t rows,
                   const std::string& who, std::string_view key, Name name) {
  const auto first = [&](auto rank) {
    return counted.top(
        rows, [&](const Counts& c) { return rank(c) > 0; }, rank);
  };
  const auto most = first(by_retransmissions), surest = first(by_share);
  const auto same_key = [](const auto& a, const auto& b) { return a.first == b.first; };
  if (std::ranges::equal(most, surest, same_key)) {
    return table(data, most, who + ": by number and by share", key, name);
  }
  return table(data, most, who + ": by number", key, name) + table(data, surest, who + ": by share", key, name);
}

std::string section(const std::string& body) { return html::section("talkers", "Who retransmits", body); }

}  // namespace

std::string senders_section(const ReportData& data, std::size_t rows) {
  const auto entries = data.hosts.top(
      rows, [](const Counts& c) { return c.bytes > 0; }, by_traffic);
  const Counts& all = data.totals;
  html::Table table("Hosts, as senders: by traffic", {"Sender", "Of all bytes", "Traffic", "Packets", "Flows"}, 1,
                    {.sort = "bytes"});
  for (const auto& [host, c] : entries) {
    table.row({host_cell(data, host), html::volume(c.bytes, all.bytes), html::bytes(c.bytes), html::number(c.packets),
               html::number(c.flows)},
              filter_of(data, host), host_name(host));
  }
  return html::section("senders", "Who sends most", table.html() + forgotten(data.hosts, "hosts"));
}

std::string talkers_section(const ReportData& data, std::size_t rows) {
  const std::string reason = why_not(data, {"retransmitted_segments", "data_segments"});
  if (!reason.empty()) return section(reason);
  const Counts& t = data.totals;
  if (t.retransmitted_segments == 0) {
    return section(html::lead(t.data_segments ? "Nobody: every data segment was sent once."
                                              : "Nobody: no TCP segment carried data."));
  }
  std::string body = html::lead(fmt::format(
      "{} of {} were retransmitted. Lists by share go by what the share is at least, with 95 % confidence: 27 of 89 "
      "segments (30 %, at least 22 %) tell more than 2 of 3 (67 %, at least 21 %).",
      words::count(t.retransmitted_segments), words::some(t.data_segments, "data segment")));
  body += tables(data, data.hosts, rows, "Hosts, as senders", "Sender", host_cell);
  body += tables(data, data.pairs, rows, "Pairs of hosts", "Sender and receiver", pair_cell);
  body += tables(data, data.server_ports, rows, "Server ports, both directions", "Port", port_cell);
  return section(body + partly(data, "retransmitted_segments") + forgotten(data.hosts, "hosts") +
                 forgotten(data.pairs, "pairs of hosts"));
}

}  // namespace warpmeter::inline analysis
