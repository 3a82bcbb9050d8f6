// What the capture may have done wrong (gaps, copies), and receivers that could not keep up.
#include <fmt/format.h>

#include "analysis/page/findings.h"
#include "analysis/page/html.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
namespace {

std::string escaped_percent(std::uint64_t part, std::uint64_t whole) {
  return html::escaped(words::percent(part, whole));
}

std::string whole_percent(double share) {
  return html::escaped(words::percent(static_cast<std::uint64_t>(share * 1e6), 1'000'000));
}

std::string loss_in_words(const ReportData& data) {
  const LossHint hint = judge_loss(data);
  const std::string bad = fmt::format(
      "{} of the missing bytes fall into {} of the time, when {} or more of the flows that are long enough to "
      "tell "
      "have gaps, surely more than at other times, or surely that many (exact binomial bounds, 95 % sure for all of {} "
      "at once)",
      whole_percent(hint.missing_in_bad_times), whole_percent(hint.bad_times), whole_percent(kManyFlows),
      words::some(hint.intervals, "interval"));
  switch (hint.verdict) {
    case Loss::none: break;
    case Loss::capture:
      return bad +
             ". Flows that have nothing else in common lose bytes at the same time: the capture probably dropped "
             "packets.";
    case Loss::path:
      return fmt::format(
          "Only {} of the flows with data have gaps. A capture that drops packets hits all: these were "
          "probably lost on the way here, or took another way.",
          escaped_percent(data.totals.flows_with_gaps, data.totals.flows_with_data));
    case Loss::unclear:
      return fmt::format(
          "{} of the flows with data have gaps; whether on the way or in the capture cannot be told from that.",
          escaped_percent(data.totals.flows_with_gaps, data.totals.flows_with_data));
  }
  return {};
}

std::string copies_in_words(const ReportData& data) {
  const std::uint64_t all = data.totals.duplicate_packets;
  const Counts& twice = data.duplicate_shares[kTwiceBin];
  switch (judge_copies(data)) {
    case Copies::none: break;
    case Copies::twice:
      return fmt::format(
          "{} of the copies are in {} of which about every packet came twice: what they take crosses two "
          "mirrored ports, or one that is mirrored in both directions.",
          escaped_percent(twice.duplicate_packets, all), words::some(twice.flows, "flow"));
    case Copies::scattered:
      return "Most are in flows of which at most one packet in ten came twice. A doubly mirrored port would copy "
             "nearly "
             "all packets of a flow: this is something else.";
    case Copies::mixed: return "They are neither whole flows, as from a doubly mirrored port, nor thinly scattered.";
  }
  return {};
}

template <class Key, class Sums, class Rank>
std::vector<typename CountedBy<Key, Sums>::Entry> most(const CountedBy<Key, Sums>& counted, std::size_t rows,
                                                       Rank rank) {
  return counted.top(
      rows, [&](const Counts& c) { return rank(c) > 0; }, rank);
}

}  // namespace

std::string gaps_section(const ReportData& data, std::size_t rows) {
  const auto section = [](const std::string& body) { return html::section("gaps", "Gaps", body); };
  const std::string reason = why_not(data, {"missing_bytes"});
  if (!reason.empty()) return section(reason);
  const Counts& t = data.totals;
  if (t.missing_bytes == 0)
    return section(html::lead("None: of every TCP flow, all bytes between its first and its last were seen."));
  std::string body = html::lead(fmt::format(
      "{} are missing between the first and the last byte of {} of {} with data, beside {} that were seen. {}",
      words::bytes(t.missing_bytes), words::count(t.flows_with_gaps), words::some(t.flows_with_data, "TCP flow"),
      words::bytes(t.payload_bytes), loss_in_words(data)));
  if (data.over_time.size() > 1) {
    body += html::chart("gaps",
                        "Missing bytes over time, and the share of flows that have gaps at some time in their life");
  }
  const auto missing = [](const Counts& c) { return c.missing_bytes; };
  const auto entries = most(data.pairs, rows, missing);
  html::Table table("Pairs of hosts with most missing bytes",
                    {"Sender and receiver", "Of all missing bytes", "Missing", "Flows with gaps", "Flows with data"}, 1,
                    {.sort = "missing_bytes"});
  for (const auto& [pair, c] : entries) {
    table.row({pair_cell(data, pair), html::volume(c.missing_bytes, t.missing_bytes), html::bytes(c.missing_bytes),
               html::number(c.flows_with_gaps), html::number(c.flows_with_data)},
              filter_of(data, pair));
  }
  return section(body + table.html() + partly(data, "missing_bytes") + forgotten(data.pairs, "pairs of hosts"));
}

std::string duplicates_section(const ReportData& data, std::size_t rows) {
  const auto section = [](const std::string& body) {
    return html::section("duplicates", "Packets that came twice", body);
  };
  const std::string reason = why_not(data, {"duplicate_packets"});
  if (!reason.empty()) return section(reason);
  const Counts& t = data.totals;
  if (t.duplicate_packets == 0) return section(html::lead("None. Nothing hints at a port that is mirrored doubly."));
  std::string body = html::lead(fmt::format("{} of {} were copies of one just seen ({}). {}",
                                            words::count(t.duplicate_packets), words::some(t.packets, "packet"),
                                            escaped_percent(t.duplicate_packets, t.packets), copies_in_words(data)));
  body += html::chart("duplicates", "Copies by the share of their flow's packets that are copies");
  const auto copies = [](const Counts& c) { return c.duplicate_packets; };
  const auto entries = most(data.pairs, rows, copies);
  html::Table table("Pairs of hosts with most copies",
                    {"Sender and receiver", "Of all copies", "Copies", "Of its packets", "Packets"}, 1,
                    {.sort = "duplicate_packets", .verdicts = "duplicate"});
  for (const auto& [pair, c] : entries) {
    table.row({pair_cell(data, pair), html::volume(c.duplicate_packets, t.duplicate_packets),
               html::number(c.duplicate_packets), html::share(c.duplicate_packets, c.packets), html::number(c.packets)},
              filter_of(data, pair));
  }
  body += table.html();
  body += html::note(
      "Packets and bytes on this page include the copies; retransmissions, gaps and closed windows leave them out.");
  return section(body + partly(data, "duplicate_packets") + forgotten(data.pairs, "pairs of hosts"));
}

std::string zero_windows_section(const ReportData& data, std::size_t rows) {
  const auto section = [](const std::string& body) {
    return html::section("windows", "Receivers that closed their window", body);
  };
  const std::string reason = why_not(data, {"zero_window_count"});
  if (!reason.empty()) return section(reason);
  const std::uint64_t all = data.totals.zero_windows;
  if (all == 0) return section(html::lead("None: no host announced a receive window of 0."));
  const auto closed = [](const Counts& c) { return c.zero_windows; };
  const auto entries = most(data.hosts, rows, closed);
  html::Table table("Receivers", {"Receiver", "Of all", "Windows of 0", "Flows it sent"}, 1,
                    {.sort = "zero_window_count"});
  for (const auto& [host, c] : entries) {
    table.row(
        {host_cell(data, host), html::volume(c.zero_windows, all), html::number(c.zero_windows), html::number(c.flows)},
        filter_of(data, host), host_name(host));
  }
  return section(
      html::lead(fmt::format("A receive window of 0 was announced {}: the program on that host did not read fast "
                             "enough, and the sender had to wait.",
                             words::some(all, "time"))) +
      table.html() + partly(data, "zero_window_count") + forgotten(data.hosts, "hosts"));
}

}  // namespace warpmeter::inline analysis
