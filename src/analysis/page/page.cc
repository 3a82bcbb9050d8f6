#include "analysis/page/page.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "analysis/page/html.h"
#include "analysis/page/sections.h"
#include "analysis/page/words.h"
#include "base/words/json_value_text.h"
#include "base/words/printable.h"

namespace warpmeter::inline analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kInputsByName = 4;

// Two decimals are enough for eyes, whole numbers are shorter without.
Json short_numbers(const std::vector<double>& values, double unit = 1) {
  Json list = Json::array();
  for (const double value : values) {
    const double rounded = std::round(value / unit * 100) / 100;
    if (rounded == std::floor(rounded) && std::abs(rounded) < 1e15) list.push_back(static_cast<std::int64_t>(rounded));
    else list.push_back(rounded);
  }
  return list;
}

Json over_time(const TimeSeries& series) {
  return {{"first_ms", series.first_ms()},
          {"width_ms", series.width_ns() / 1'000'000},
          {"bytes", short_numbers(series.values(kOverBytes))},
          {"packets", short_numbers(series.values(kOverPackets))},
          {"data", short_numbers(series.values(kOverDataSegments))},
          {"retransmitted", short_numbers(series.values(kOverRetransmitted))},
          {"missing", short_numbers(series.values(kOverMissing))},
          {"flows", short_numbers(series.values(kOverTellingFlows), kFlowUnit)},
          {"flows_with_gaps", short_numbers(series.values(kOverTellingFlowsWithGaps), kFlowUnit)}};
}

// Bins from the first to the last that has flows; `bits`: sizes from 2^(bits-1) on.
Json sizes(const ReportData& data) {
  std::size_t first = 0, last = data.sizes.size() - 1;
  while (first < last && data.sizes[first].flows == 0) ++first;
  while (last > first && data.sizes[last].flows == 0) --last;
  Json list = Json::array();
  for (std::size_t bits = first; bits <= last; ++bits) {
    list.push_back({{"bits", bits}, {"flows", data.sizes[bits].flows}, {"bytes", data.sizes[bits].bytes}});
  }
  return list;
}

Json duplicates(const ReportData& data) {
  Json list = Json::array();
  for (const Counts& c : data.duplicate_shares) list.push_back({{"copies", c.duplicate_packets}, {"flows", c.flows}});
  return list;
}

Json handshakes(const Handshakes& all) {
  std::size_t first = 0, last = all.counts.size() - 1;
  while (first < last && all.counts[first] == 0) ++first;
  while (last > first && all.counts[last] == 0) --last;
  Json list = Json::array();
  for (std::size_t i = first; i <= last; ++i)
    list.push_back({{"from_us", Handshakes::kFromUs[i]}, {"count", all.counts[i]}});
  return list;
}

// Address and port that it goes to, port that it comes from, protocol, ms when it began and that it took, and counts;
// null: not known.
Json flow_list(const WorstFlow& flow) {
  const auto known = [&](std::string_view column, std::uint64_t value) {
    const std::size_t i = column_number(column);
    const bool is_known = !(kColumns[i].tcp_only && flow.key.protocol != kProtocolTcp) && !(flow.absent >> i & 1);
    return is_known ? Json(value) : Json();
  };
  const auto ms = [](double ns) { return std::round(ns / 1e3) / 1e3; };
  return {words::host(flow.key.version, flow.key.destination),
          port_number(flow.key.source_port),
          port_number(flow.key.destination_port),
          flow.key.protocol,
          ms(static_cast<double>(flow.start_ns)),
          ms(static_cast<double>(flow.end_ns) - static_cast<double>(flow.start_ns)),
          known("packets", flow.packets),
          known("bytes", flow.bytes),
          known("data_segments", flow.data_segments),
          known("retransmitted_segments", flow.retransmitted_segments),
          known("zero_window_count", flow.zero_windows)};
}

// The worst flows of the hosts that the page lists, by the column that makes them worst.
class FlowsOfHosts {
 public:
  explicit FlowsOfHosts(const ReportData& data, std::size_t rows) : data_(data), rows_(rows) {
    add("retransmitted_segments", WorstFlows::retransmitted, by_retransmissions);
    add("retransmitted_segments", WorstFlows::retransmitted, by_share);
    add("zero_window_count", WorstFlows::zero_windows, by_zero_windows);
    add("retransmitted_segments", WorstFlows::retransmitted, by_traffic);
  }
  const Json& json() const { return json_; }

 private:
  void add(const char* column, WorstFlows::Measure measure, double (*rank)(const Counts&)) {
    const auto listed = data_.hosts.top(
        rows_, [&](const Counts& c) { return rank(c) > 0; }, rank);
    for (const auto& [host, counts] : listed) {
      const std::string name = host_name(host);
      const auto worst = data_.worst_flows.of(counts.number, measure);
      if (!worst || worst->empty() || json_[column].contains(name)) continue;
      if ((flows_ += worst->size()) > kMostFlowsOfPage) return;
      Json list = Json::array();
      for (const WorstFlow& flow : *worst) list.push_back(flow_list(flow));
      json_[column][name] = {{"all", counts.flows}, {"worst", std::move(list)}};
    }
  }

  const ReportData& data_;
  const std::size_t rows_;
  std::size_t flows_ = 0;
  Json json_ = Json::object();
};

Json row_json(const HostTimes::Row& row) {
  return {{"first", row.first}, {"data", row.data_segments}, {"retransmitted", row.retransmitted}};
}

// Who retransmitted when, so that the hosts of any part of the time can be ranked; null where there is nothing to rank.
Json host_times(const ReportData& data, std::size_t rows) {
  constexpr std::size_t kMostRanked = 20;
  struct Total {
    std::uint64_t retransmitted;
    HostKey host;
    std::uint32_t number;
  };
  std::vector<Total> totals;
  data.hosts.for_each([&](const HostKey& host, const HostCounts& c) {
    if (c.retransmitted_segments > 0) totals.push_back({c.retransmitted_segments, host, c.number});
  });
  std::ranges::sort(totals, [](const Total& a, const Total& b) {
    return a.retransmitted != b.retransmitted ? a.retransmitted > b.retransmitted : a.host < b.host;
  });
  std::vector<std::uint32_t> order;
  std::unordered_map<std::uint32_t, const Total*> by_number;
  for (const Total& total : totals) {
    order.push_back(total.number);
    by_number[total.number] = &total;
  }
  const HostTimes::Ranking ranking = data.host_times.rank(order, std::min(rows, kMostRanked), kMostNumbersOfTimes);
  if (ranking.intervals < 2 || ranking.hosts.empty()) return {};
  Json hosts = Json::array();
  for (const HostTimes::Row& row : ranking.hosts) {
    const HostKey& host = by_number[row.host]->host;
    Json json = row_json(row);
    json["host"] = host_name(host);
    hosts.push_back(std::move(json));
  }
  return {{"first_ms", ranking.first_ms},
          {"width_ms", ranking.width_ns / 1'000'000},
          {"intervals", ranking.intervals},
          {"rows", std::min(rows, kMostRanked)},
          {"filter", data.has_biflows ? "addr " : "src addr "},
          {"all", row_json(ranking.all)},
          {"hosts", std::move(hosts)}};
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// REQUIRES: all beyond ASCII is escaped.
std::string embedded_json(std::string text) {
  replace_all(text, "<", "\\u003c");
  replace_all(text, ">", "\\u003e");
  replace_all(text, "&", "\\u0026");
  return text;
}

std::string period(const ReportData& data) {
  const std::string first_day = words::day(data.first_ns), last_day = words::day(data.last_ns);
  return fmt::format("{} {} to {}{} UTC", first_day, words::time_of_day(data.first_ns),
                     last_day == first_day ? "" : last_day + " ", words::time_of_day(data.last_ns));
}

std::string content(const ReportData& data, const PageOptions& options) {
  const std::size_t rows = options.rows;
  if (data.totals.flows == 0) {
    return html::lead(options.filter.empty()
                          ? "There is not a single flow in the input, and so nothing to report."
                          : "The filter selects no flow of the input, and so there is nothing to report.");
  }
  return tiles(data) + headlines_section(data) + time_section(data) + what_runs_section(data, rows) +
         talkers_section(data, rows) + gaps_section(data, rows) + duplicates_section(data, rows) +
         zero_windows_section(data, rows) + handshakes_section(data) + senders_section(data, rows) +
         sizes_section(data) + make_up_section(data) + coalescing_section(options.coalescing) + reading_section(data);
}

// The inputs as words of a shell, for commands to copy; none where they are too many, or not files that can be named
// so.
std::string shell_words(const std::vector<std::string>& names) {
  if (names.size() > kInputsByName) return {};
  std::string words;
  for (std::string name : names) {
    if (name.empty() || name[0] == '-' || name[0] == '<' || printable(name) != name) return {};
    replace_all(name, "'", "'\\''");
    const bool plain =
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,+=@%:-") ==
        std::string::npos;
    if (!words.empty()) words += ' ';
    words += plain ? name : fmt::format("'{}'", name);
  }
  return words;
}

std::string geo_words(const std::vector<std::string>& names) {
  std::string words;
  for (const std::string& name : names) {
    const std::string word = shell_words({name});
    words += " --geo " + (word.empty() ? "FILE.mmdb" : word);
  }
  return words;
}

}  // namespace

std::string chart_data(const ReportData& data, const PageOptions& options) {
  const bool counts_retransmissions = measured(data, {"retransmitted_segments", "data_segments"});
  Json document = {
      {"time", over_time(data.over_time)},
      {"retransmissions", data.totals.retransmitted_segments > 0 && counts_retransmissions},
      {"sizes", sizes(data)},
      {"duplicates", duplicates(data)},
      {"handshakes", handshakes(data.handshakes)},
      {"flows", FlowsOfHosts(data, options.rows).json()},
      {"hosts", counts_retransmissions ? host_times(data, options.rows) : Json()},
  };
  if (!options.coalescing.rows.empty()) document["coalescing"] = coalescing_chart(options.coalescing);
  return embedded_json(json_text(document, -1, JsonLetters::ascii));
}

std::string page(const ReportData& data, const PageOptions& options) {
  const std::string inputs = inputs_of_page(options);
  return framed_page({.title = options.title.empty() ? "Flow report" : options.title,
                      .about = data.totals.flows == 0 ? inputs : period(data) + " · " + inputs,
                      .source = "Flow Records",
                      .inputs = options.recursive ? "" : shell_words(options.inputs),
                      .filter = printable(options.filter) == options.filter ? options.filter : "",
                      .geo = geo_words(options.geo),
                      .content = troubles_of_page(options) + content(data, options),
                      .data = chart_data(data, options),
                      .charts = kReportChartsJs});
}

namespace {

constexpr std::size_t kUnreadableByName = 10;

std::string damage(const PageOptions& options) {
  if (options.damage.empty()) return {};
  std::string list;
  for (const auto& [name, damage] : options.damage) {
    list += fmt::format("<li><code>{}</code>, from byte {} on: {}</li>\n", html::escaped(printable(name)),
                        words::exact(damage.offset), html::escaped(printable(damage.reason)));
  }
  return "<aside class=\"damage\"><p><b>The input was damaged.</b> This page tells what could be read "
         "before:</p>\n<ul>" +
         list + "</ul></aside>\n";
}

std::string unreadable(const PageOptions& options) {
  if (options.unreadable.empty()) return {};
  std::string list;
  for (std::size_t i = 0; i < options.unreadable.size() && i < kUnreadableByName; ++i) {
    list += fmt::format("<li>{}</li>\n", html::escaped(printable(options.unreadable[i])));
  }
  if (options.unreadable.size() > kUnreadableByName) {
    list += fmt::format("<li>and {} more</li>\n", options.unreadable.size() - kUnreadableByName);
  }
  return "<aside class=\"damage\"><p><b>Not all of the input could be read.</b> This page lacks:</p>\n<ul>" + list +
         "</ul></aside>\n";
}

std::string metering(const PageOptions& options) {
  if (options.metering.empty()) return {};
  std::string list;
  for (const std::string& remark : options.metering) {
    list += fmt::format("<li>{}</li>\n", html::escaped(printable(remark)));
  }
  return "<aside class=\"damage\"><p><b>Metering had its troubles.</b> What this page tells may be wrong because "
         "of:</p>\n<ul>" +
         list + "</ul></aside>\n";
}

std::string interruption(const PageOptions& options) {
  if (!options.interrupted) return {};
  return "<aside class=\"damage\"><p><b>Reading was interrupted.</b> This page tells what was read until "
         "then.</p></aside>\n";
}

std::string fill(std::string_view name, const PageParts& parts) {
  if (name == "title") return html::escaped(parts.title);
  if (name == "style") return std::string(kPageCss);
  if (name == "script") return std::string(parts.charts).append(kPageJs);
  if (name == "data") return parts.data;
  if (name == "content") return parts.content;
  if (name == "source") return html::escaped(parts.source);
  if (name == "inputs") return html::escaped(parts.inputs);
  if (name == "filter") return html::escaped(parts.filter);
  if (name == "geo") return html::escaped(parts.geo);
  return parts.about;  // "about"
}

}  // namespace

std::string inputs_of_page(const PageOptions& options) {
  const std::vector<std::string>& names = options.inputs;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kInputsByName; ++i) {
    text += fmt::format("{}<code>{}</code>", i ? ", " : "",
                        html::escaped(names[i] == "-" ? "standard input" : printable(names[i])));
  }
  if (names.size() > kInputsByName) text += fmt::format(" and {} more", names.size() - kInputsByName);
  if (!options.files.empty()) text += " (" + html::escaped(options.files) + ")";
  if (!options.filter.empty()) text += ", flows with <code>" + html::escaped(printable(options.filter)) + "</code>";
  return text;
}

std::string troubles_of_page(const PageOptions& options) {
  return damage(options) + unreadable(options) + metering(options) + interruption(options);
}

// Every @name@ is filled in one pass, so that what is filled in cannot name another.
std::string framed_page(const PageParts& parts) {
  std::string text;
  std::string_view rest = kPageHtml;
  for (std::size_t at; (at = rest.find('@')) != std::string_view::npos;) {
    const std::size_t end = rest.find('@', at + 1);
    text += rest.substr(0, at);
    text += fill(rest.substr(at + 1, end - at - 1), parts);
    rest.remove_prefix(end + 1);
  }
  return text.append(rest);
}

}  // namespace warpmeter::inline analysis
