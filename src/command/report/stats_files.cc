// What other runs wrote with --stats, as sentences and sections of the page.
#include "command/report/report.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/words/human_units.h"
#include "base/words/json_value_text.h"
#include "base/words/stats_keys.h"
#include "packet/file/trace_findings.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNamed = 10;

void add_each(const Json& list, std::vector<std::string>& remarks, std::string (*sentence)(const Json&)) {
  for (std::size_t i = 0; i < list.size() && i < kMostNamed; ++i) remarks.push_back(sentence(list[i]));
  if (list.size() > kMostNamed) remarks.push_back(fmt::format("... and {} more", list.size() - kMostNamed));
}

// Also of a file that an earlier release wrote.
Json value_of(const Json& stats, const char* key, const Json& otherwise) {
  return stats.contains(key) ? stats.at(key) : stats.value(old_stats_key(key), otherwise);
}

void add_count(const Json& stats, const char* key, const char* sentence, std::vector<std::string>& remarks) {
  if (const auto n = value_of(stats, key, 0).get<std::uint64_t>()) remarks.push_back(std::to_string(n) + sentence);
}

std::vector<std::string> remarks_of(const Json& stats) {
  std::vector<std::string> remarks;
  if (stats.contains("error")) return {"the run failed: " + stats.at("error").get<std::string>()};
  add_each(stats.at("unreadable"), remarks, [](const Json& text) { return "not read: " + text.get<std::string>(); });
  add_each(stats.at("damage"), remarks, [](const Json& d) {
    return text_of(Damage{.file = d.at("file").get<std::string>(),
                          .offset = d.at("offset").get<std::uint64_t>(),
                          .reason = d.at("reason").get<std::string>(),
                          .skipped = d.value("skipped", std::uint64_t{0})});
  });
  add_each(value_of(stats, "fractions_out_of_range", Json::array()), remarks, [](const Json& o) {
    return fmt::format("{}: fractions below 0 or of a second and more from byte {} on", o.at("file").get<std::string>(),
                       o.at("offset").get<std::uint64_t>());
  });
  add_each(value_of(stats, "time_runs_back_between", Json::array()), remarks, [](const Json& t) {
    return fmt::format("time runs back by {} from {} to {}", human_time(t.at("ns").get<double>() / 1e9),
                       t.at("from").get<std::string>(), t.at("to").get<std::string>());
  });
  add_count(stats, "times_out_of_range", " packets had times out of range", remarks);
  add_count(stats, "tcp_headers_cut_off",
            " packets had their TCP headers cut off by too short a snap length: their retransmissions could not be "
            "counted",
            remarks);
  add_count(
      stats, "tcp_headers_cut_short_on_the_wire",
      " packets had TCP headers that were cut short before they were captured: their retransmissions could not be "
      "counted",
      remarks);
  return remarks;
}

constexpr std::size_t kMostRows = 100;

// Throws Json::exception, also for what is no count.
std::uint64_t count_at(const Json& row, const char* key) {
  return row.at(key).get_ref<const Json::number_unsigned_t&>();
}

CoalescingSavings savings_of(const Json& stats) {
  CoalescingSavings savings;
  for (const Json& row : stats.at("what_if")) {
    if (savings.rows.size() == kMostRows) break;
    savings.rows.push_back({.threshold = count_at(row, "threshold"),
                            .timeout_intervals = count_at(row, "timeout_intervals"),
                            .packets = count_at(row, "packets"),
                            .super_packets = count_at(row, "super_packets"),
                            .joined = count_at(row, "joined"),
                            .saved_bytes = count_at(row, "saved_bytes")});
  }
  return savings;
}

}  // namespace

std::vector<std::string> metering_remarks(const std::string& stats_file) {
  std::ifstream in(stats_file);
  if (!in) throw Error(stats_file + ": " + std::strerror(errno));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  try {
    return remarks_of(json_of_text(text));
  } catch (const Json::exception&) {
    throw Error(stats_file + ": nothing that `extract --stats` wrote");
  }
}

CoalescingSavings coalescing_savings(const std::string& stats_file) {
  std::ifstream in(stats_file);
  if (!in) throw Error(stats_file + ": " + std::strerror(errno));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  try {
    return savings_of(json_of_text(text));
  } catch (const Json::exception&) {
    throw Error(stats_file + ": nothing that `coalesce --dry-run --stats` wrote");
  }
}

}  // namespace warpmeter::inline command
