// The top of the page: the figures in tiles, and what stands out in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "analysis/page/findings.h"
#include "analysis/page/html.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"

namespace warpmeter::inline analysis {
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

// Of a headline: nothing to look after; something was counted; and it points at a cause, a host or the capture itself.
enum class Grade { quiet, counted, loud };

std::string headline(Grade grade, std::string_view section, const std::string& html) {
  const std::string where = grade == Grade::quiet ? "" : fmt::format(" <a href=\"#{}\">See where</a>", section);
  const char* name = grade == Grade::quiet ? "quiet" : grade == Grade::counted ? "counted" : "loud";
  return fmt::format("<li class=\"{}\">{}{}</li>\n", name, html, where);
}

Grade grade_of(const StandingOut& test) { return test.host ? Grade::loud : Grade::counted; }

std::string share_in_words(double share) {
  constexpr double kSteps = 1e9;  // finer than any percentage that is written
  return html::escaped(words::percent(static_cast<std::uint64_t>(std::llround(std::clamp(share, 0.0, 1.0) * kSteps)),
                                      static_cast<std::uint64_t>(kSteps)));
}

std::string faint(const std::string& html) { return " <span class=\"faint\">" + html + "</span>"; }

// The host that stands out, or that none does, and what was tested. `trial`: "data segment"; `clusters`: what comes in
// bursts.
std::string outlier_in_words(const StandingOut& test, std::string_view trial, std::string_view clusters) {
  const std::string hosts = words::some(test.examined, "host");
  if (test.examined < kFewestHosts) {
    return faint(fmt::format(
        "Whether a host stands out was not tested: that takes {} hosts with {} {}s or more in two "
        "flows or more, and here {} that.",
        kFewestHosts, kFewestTrials, trial, test.examined == 1 ? "1 has" : words::count(test.examined) + " have"));
  }
  if (!test.host) {
    return " No host stands out." +
           faint(fmt::format("Tested: of {}, none has a share that is surely above that of all others together (exact "
                             "binomial bounds, 95 % sure for all hosts at once; as {} cluster, counts were first "
                             "divided by their dispersion).",
                             hosts, clusters));
  }
  const auto count = [](double n) { return static_cast<std::uint64_t>(n); };
  const std::string than_others =
      test.outlier.others_share > 0
          ? fmt::format("that is surely at least {:.1f} times the share of all others together, which is {}",
                        std::floor(test.outlier.times_at_least * 10) / 10, share_in_words(test.outlier.others_share))
          : "and that of all others together is 0";
  return fmt::format(" <b>{}</b> stands out by its share: {} of its {}, {}; {}.", host_name(*test.host),
                     words::count(count(test.events)), words::some(count(test.trials), trial),
                     share_in_words(test.events / test.trials), than_others) +
         faint(fmt::format(
             "Tested: {}; exact binomial bounds, 95 % sure for all hosts at once; as {} cluster, counts were "
             "first divided by their dispersion, {:.1f}.",
             hosts, clusters, test.outlier.divided_by));
}

std::string retransmissions(const ReportData& data, const StandingOut& test) {
  const Counts& t = data.totals;
  if (t.data_segments == 0) return headline(Grade::quiet, "talkers", "No TCP segment carried data.");
  if (t.retransmitted_segments == 0) {
    return headline(Grade::quiet, "talkers",
                    fmt::format("None of {} was retransmitted.", words::some(t.data_segments, "data segment")));
  }
  const auto retransmitted = [](const Counts& c) { return c.retransmitted_segments; };
  const Concentration senders = concentration(data.hosts, retransmitted, t.retransmitted_segments, 0.7);
  std::string text = fmt::format("<b>{}</b> of data segments were retransmitted",
                                 html::escaped(words::percent(t.retransmitted_segments, t.data_segments)));
  const std::string hosts = (data.hosts.forgot() ? "more than " : "") + words::count(senders.of);
  if (senders.of == 1) text += ", all by one host.";
  else if (senders.keys > 0 && (senders.keys == 1 || senders.keys * kFew <= senders.of)) {
    text += fmt::format("; {} of the {} hosts that did so {} 70 % of them, and {} of the data segments.",
                        words::count(senders.keys), hosts, senders.keys == 1 ? "sent at least" : "sent",
                        html::escaped(words::percent(senders.sum.data_segments, t.data_segments)));
  } else text += fmt::format(", spread over {} hosts.", hosts);
  text += outlier_in_words(test, "data segment", "losses");
  return headline(grade_of(test), "talkers", text);
}

std::string gaps(const ReportData& data) {
  const Counts& t = data.totals;
  const std::string amount = fmt::format("<b>{}</b> were never seen, in {} of {}", words::bytes(t.missing_bytes),
                                         words::count(t.flows_with_gaps), words::some(t.flows_with_data, "TCP flow"));
  switch (judge_loss(data).verdict) {
    case Loss::none:
      return headline(Grade::quiet, "gaps", "No TCP flow has a gap: nothing hints at packets lost by the capture.");
    case Loss::capture:
      return headline(Grade::loud, "gaps",
                      amount + " with data, many flows at the same time: the capture probably lost packets.");
    case Loss::path:
      return headline(Grade::counted, "gaps",
                      amount + " with data: few flows, so the capture itself is probably whole.");
    case Loss::unclear: break;
  }
  return headline(Grade::counted, "gaps", amount + " with data.");
}

std::string duplicates(const ReportData& data) {
  const std::string amount =
      fmt::format("<b>{}</b> of packets were copies of a packet just seen",
                  html::escaped(words::percent(data.totals.duplicate_packets, data.totals.packets)));
  switch (judge_copies(data)) {
    case Copies::none:
      return headline(Grade::quiet, "duplicates", "No packet arrived twice: no port seems to be mirrored doubly.");
    case Copies::twice:
      return headline(
          Grade::loud, "duplicates",
          amount + ", most of them in flows that came twice as a whole: a port is probably mirrored doubly.");
    case Copies::scattered: return headline(Grade::counted, "duplicates", amount + ", thinly scattered.");
    case Copies::mixed: break;
  }
  return headline(Grade::counted, "duplicates", amount + ".");
}

std::string zero_windows(const ReportData& data, const StandingOut& test) {
  const std::uint64_t all = data.totals.zero_windows;
  if (all == 0) return headline(Grade::quiet, "windows", "No receiver closed its window.");
  const std::size_t hosts = data.hosts.count([](const Counts& c) { return c.zero_windows > 0; });
  return headline(grade_of(test), "windows",
                  fmt::format("<b>{}</b> announced a closed receive window, {} in all.{}", words::some(hosts, "host"),
                              words::some(all, "time"), outlier_in_words(test, "packet", "closed windows")));
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
  if (t.stray_segments > 0) {  // what a healthy network does not have
    text += tcp_tile(data, "Strays", "stray_segments", words::count(t.stray_segments), "numbers that do not fit",
                     words::exact(t.stray_segments));
  }
  return text + "</dl>\n";
}

std::string headlines_section(const ReportData& data) {
  std::string list;
  const bool tcp = data.tcp_flows > 0;
  const HostTests tests = test_hosts(data);
  if (tcp && measured(data, {"retransmitted_segments", "data_segments"})) {
    list += retransmissions(data, tests.retransmissions);
  }
  if (tcp && measured(data, {"missing_bytes"})) list += gaps(data);
  if (measured(data, {"duplicate_packets"})) list += duplicates(data);
  if (tcp && measured(data, {"zero_window_count"})) list += zero_windows(data, tests.closed_windows);
  if (list.empty()) return {};
  return html::section("headlines", "What stands out", "<ul class=\"headlines\">\n" + list + "</ul>\n");
}

}  // namespace warpmeter::inline analysis
