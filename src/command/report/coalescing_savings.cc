// From what `coalesce --dry-run --stats` wrote to a section of the page.
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/words/json_value_text.h"
#include "command/report/report.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {
namespace {

using Json = nlohmann::ordered_json;

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
