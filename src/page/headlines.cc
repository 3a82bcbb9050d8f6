// The top of the page: the figures in tiles, and what stands out in sentences.
#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "page/confidence.h"
#include "page/findings.h"
#include "page/html.h"
#include "page/key_cells.h"
#include "page/measured.h"
#include "page/ranks.h"
#include "page/sections.h"
#include "page/words.h"

namespace warpmeter {
namespace {

constexpr std::size_t kFew = 5;  // a few: one in five, or fewer

std::string tile(std::string_view label, std::string_view value, std::string_view below, std::string_view exact) {
  return fmt::format("<div class=\"tile\" title=\"{}\"><dt>{}</dt><dd>{}<small>{}</small></dd></div>\n",
                     html::escaped(exact), html::escaped(label), html::escaped(value), html::escaped(below));
}

std::string unmeasured_tile(std::string_view label) { return tile(label, "–", "not measured", "not in this input"); }

std::string tcp_tile(const ReportData& data, std::string_view label, std::string_view column, std::string_view value,
                     std::string_view below, std::string_view exact) {
  if (data.tcp_flows == 0) return tile(label, "–", "no TCP here", "counted for TCP alone");
  return data.coverage.measured(column) ? tile(label, value, below, exact) : unmeasured_tile(label);
}

// A headline: quiet if there is nothing to look after.
std::string headline(bool quiet, std::string_view section, const std::string& html) {
  const std::string where = quiet ? "" : fmt::format(" <a href=\"#{}\">See where</a>", section);
  return fmt::format("<li class=\"{}\">{}{}</li>\n", quiet ? "quiet" : "loud", html, where);
}

std::string host_in_numbers(const CountedBy<HostKey>::Entry& host, std::string_view what) {
  const Counts& c = host.second;
  return fmt::format(" <b>{}</b> {}: {} of its {}, {}, at least {} with 95 % confidence.", host_name(host.first), what,
                     words::count(c.retransmitted_segments), words::some(c.data_segments, "data segment"),
                     html::escaped(words::percent(c.retransmitted_segments, c.data_segments)),
                     html::escaped(at_least_percent(c.retransmitted_segments, c.data_segments)));
}

std::string retransmissions(const ReportData& data) {
  const Counts& t = data.totals;
  if (t.data_segments == 0) return headline(true, "talkers", "No TCP segment carried data.");
  if (t.retransmitted_segments == 0) {
    return headline(true, "talkers",
                    fmt::format("None of {} was retransmitted.", words::some(t.data_segments, "data segment")));
  }
  const auto retransmitted = [](const Counts& c) { return c.retransmitted_segments; };
  const Concentration senders = concentration(data.hosts, retransmitted, t.retransmitted_segments, 0.7);
  std::string text = fmt::format("<b>{}</b> of data segments were retransmitted",
                                 html::escaped(words::percent(t.retransmitted_segments, t.data_segments)));
  const std::string hosts = (data.hosts.forgot() ? "more than " : "") + words::count(senders.of);
  if (senders.of == 1) text += ", all by one host.";
  else if (senders.keys == 1)
    text += fmt::format("; one of the {} hosts that did so causes at least 70 % of them.", hosts);
  else if (senders.keys > 0 && senders.keys * kFew <= senders.of) {
    text += fmt::format("; {} of the {} hosts that did so cause 70 % of them.", words::count(senders.keys), hosts);
  } else text += fmt::format(", spread over {} hosts.", hosts);
  const auto most = data.hosts
                        .top(
                            1, [](const Counts&) { return true; }, by_retransmissions)
                        .front();
  const auto worst = standing_out(data);
  const bool is_worst = worst && worst->first == most.first;
  if (is_worst) text += host_in_numbers(most, "stands out");
  else if (most.second.retransmitted_segments * kFew >= t.retransmitted_segments) {
    text += host_in_numbers(most, "retransmits most");
  }
  if (worst && !is_worst) text += host_in_numbers(*worst, "stands out by its share");
  return headline(false, "talkers", text);
}

std::string gaps(const ReportData& data) {
  const Counts& t = data.totals;
  const std::string amount = fmt::format("<b>{}</b> were never seen, in {} of {}", words::bytes(t.missing_bytes),
                                         words::count(t.flows_with_gaps), words::some(t.flows_with_data, "TCP flow"));
  switch (judge_loss(data).verdict) {
    case Loss::none:
      return headline(true, "gaps", "No TCP flow has a gap: nothing hints at packets lost by the capture.");
    case Loss::capture:
      return headline(false, "gaps",
                      amount + " with data, many flows at the same time: the capture probably lost packets.");
    case Loss::path:
      return headline(false, "gaps", amount + " with data: few flows, so the capture itself is probably whole.");
    case Loss::unclear: break;
  }
  return headline(false, "gaps", amount + " with data.");
}

std::string duplicates(const ReportData& data) {
  const std::string amount =
      fmt::format("<b>{}</b> of packets were copies of a packet just seen",
                  html::escaped(words::percent(data.totals.duplicate_packets, data.totals.packets)));
  switch (judge_copies(data)) {
    case Copies::none:
      return headline(true, "duplicates", "No packet arrived twice: no port seems to be mirrored doubly.");
    case Copies::twice:
      return headline(
          false, "duplicates",
          amount + ", most of them in flows that came twice as a whole: a port is probably mirrored doubly.");
    case Copies::scattered: return headline(false, "duplicates", amount + ", thinly scattered.");
    case Copies::mixed: break;
  }
  return headline(false, "duplicates", amount + ".");
}

std::string zero_windows(const ReportData& data) {
  const std::uint64_t all = data.totals.zero_windows;
  if (all == 0) return headline(true, "windows", "No receiver closed its window.");
  const auto closed = [](const Counts& c) { return c.zero_windows; };
  const auto hosts = data.hosts.top(
      data.hosts.size(), [](const Counts& c) { return c.zero_windows > 0; }, closed);
  std::string text = fmt::format("<b>{}</b> announced a closed receive window, {} in all",
                                 words::some(hosts.size(), "host"), words::some(all, "time"));
  if (hosts.size() > 1 && hosts[0].second.zero_windows * 2 >= all) {
    text += fmt::format("; {} alone {}", host_name(hosts[0].first), words::some(hosts[0].second.zero_windows, "time"));
  }
  return headline(false, "windows", text + ".");
}

}  // namespace

std::string tiles(const ReportData& data) {
  const Counts& t = data.totals;
  std::string text = "<dl class=\"tiles\">\n";
  text += tile("Time", words::duration(data.first_ns, data.last_ns), "first to last packet",
               fmt::format("{} to {} ns since 1970 UTC", data.first_ns, data.last_ns));
  text += tile("Flows", words::count(t.flows), words::percent(data.tcp_flows, t.flows) + " TCP", words::exact(t.flows));
  text += tile("Packets", words::count(t.packets), "in all flows", words::exact(t.packets));
  text += tile("Traffic", words::bytes(t.bytes), "IP bytes", words::exact(t.bytes) + " bytes");
  text += measured(data, {"data_segments", "retransmitted_segments"})
              ? tcp_tile(data, "Retransmitted", "retransmitted_segments",
                         words::percent(t.retransmitted_segments, t.data_segments), "of data segments",
                         words::exact(t.retransmitted_segments) + " of " + words::exact(t.data_segments))
              : unmeasured_tile("Retransmitted");
  text += measured(data, {"duplicate_packets"})
              ? tile("Duplicates", words::percent(t.duplicate_packets, t.packets), "of packets",
                     words::exact(t.duplicate_packets) + " of " + words::exact(t.packets))
              : unmeasured_tile("Duplicates");
  text += tcp_tile(data, "Missing", "missing_bytes", words::bytes(t.missing_bytes), "never seen",
                   words::exact(t.missing_bytes) + " bytes");
  text += tcp_tile(data, "Zero windows", "zero_window_count", words::count(t.zero_windows), "announced",
                   words::exact(t.zero_windows));
  return text + "</dl>\n";
}

std::string headlines_section(const ReportData& data) {
  std::string list;
  const bool tcp = data.tcp_flows > 0;
  if (tcp && measured(data, {"retransmitted_segments", "data_segments"})) list += retransmissions(data);
  if (tcp && measured(data, {"missing_bytes"})) list += gaps(data);
  if (measured(data, {"duplicate_packets"})) list += duplicates(data);
  if (tcp && measured(data, {"zero_window_count"})) list += zero_windows(data);
  if (list.empty()) return {};
  return html::section("headlines", "What stands out", "<ul class=\"headlines\">\n" + list + "</ul>\n");
}

}  // namespace warpmeter
