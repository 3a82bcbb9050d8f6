// The table of packets and the Flow Records of the same random traffic: the rows of each flow, added up, are its Flow
// Record, for both methods, any number of threads and any spilling. A filter takes the rows of its flows and no others.
#include "command/packets/judged_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "command/packets/select_packets.h"
#include "property/in_process.h"
#include "reference/random_traffic.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;

using Row = std::map<std::string, std::string>;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> values(1);
  for (const char c : line) {
    if (c == ',') values.emplace_back();
    else values.back() += c;
  }
  return values;
}

std::vector<Row> rows_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = split(line);
  std::vector<Row> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> values = split(line);
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = values.at(i);
  }
  return rows;
}

std::int64_t number(const Row& row, const std::string& name) {
  const auto found = row.find(name);
  return found == row.end() || found->second.empty() ? 0 : std::stoll(found->second);
}

std::string key_of(const Row& row) {
  std::string key;
  for (const char* const name : {"src_addr", "dst_addr", "src_port", "dst_port", "protocol", "vlan_id"}) {
    const auto found = row.find(name);
    if (found != row.end()) key += found->second + " ";
  }
  return key;
}

const std::vector<std::string> kCounters = {"packets",
                                            "bytes",
                                            "payload_bytes",
                                            "data_segments",
                                            "retransmitted_segments",
                                            "retransmitted_bytes",
                                            "duplicate_packets",
                                            "duplicate_bytes",
                                            "out_of_order_segments",
                                            "keep_alive_segments",
                                            "stray_segments",
                                            "syn_count",
                                            "fin_count",
                                            "rst_count",
                                            "zero_window_count",
                                            "tcp_flags"};

struct Sums {
  std::int64_t start = INT64_MAX, end = INT64_MIN;
  std::map<std::string, std::int64_t> counters;

  void add(const Row& row) {
    start = std::min(start, number(row, "time_ns"));
    end = std::max(end, number(row, "time_ns"));
    const std::string& verdict = row.at("verdict");
    const std::int64_t bytes = number(row, "bytes"), payload = number(row, "payload_bytes");
    ++counters["packets"];
    counters["bytes"] += bytes;
    if (verdict == "duplicate") ++counters["duplicate_packets"], counters["duplicate_bytes"] += bytes;
    if (verdict == "duplicate" || verdict == "no_segment") return;
    const std::int64_t flags = number(row, "tcp_flags");
    counters["tcp_flags"] |= flags;
    counters["syn_count"] += (flags & kSyn) != 0;
    counters["fin_count"] += (flags & kFin) != 0;
    counters["rst_count"] += (flags & kRst) != 0;
    if (!(flags & kRst)) {
      counters["zero_window_count"] += number(row, "window") == 0;
      counters["data_segments"] += payload > 0;
      counters["payload_bytes"] += payload;
    }
    if (verdict == "retransmitted") {
      ++counters["retransmitted_segments"];
      counters["retransmitted_bytes"] += number(row, "seen_before");
    } else if (verdict != "new") {
      ++counters[verdict + "_segments"];
    }
  }
  std::string text(const std::string& key) const {
    std::string line = key + std::to_string(start) + " " + std::to_string(end);
    for (const std::string& name : kCounters) {
      const auto found = counters.find(name);
      line += " " + name + " " + std::to_string(found == counters.end() ? 0 : found->second);
    }
    return line;
  }
};

std::vector<std::string> flows_of(const std::vector<Row>& rows) {
  std::map<std::pair<std::string, std::int64_t>, Sums> flows;
  for (const Row& row : rows) flows[{key_of(row), number(row, "flow")}].add(row);
  std::vector<std::string> lines;
  for (const auto& [flow, sums] : flows) lines.push_back(sums.text(flow.first));
  std::ranges::sort(lines);
  return lines;
}

std::vector<std::string> flows_of_records(const std::string& csv) {
  std::vector<std::string> lines;
  for (const Row& row : rows_of(csv)) {
    Sums sums{number(row, "start_ns"), number(row, "end_ns"), {}};
    for (const std::string& name : kCounters) sums.counters[name] = number(row, name);
    lines.push_back(sums.text(key_of(row)));
  }
  std::ranges::sort(lines);
  return lines;
}

struct Case {
  Case(const reference::RandomCase& random_case, const Setting& chosen)
      : options(random_case.options), setting(chosen), bytes(reference::random_traffic(random_case.shape)) {
    options.aggregate = false;
    options.sample_one_in = 1;
    extracted = program.run({bytes}, options, setting);
  }

  std::string table(const std::string& filter = "", const std::string& verdicts = "") const {
    PacketsOptions packets;
    packets.metering = program.options_of({program.folder().file("part0.pcap")}, options, setting);
    packets.output = packets.metering.output.file = program.folder().file("packets.csv");
    packets.table = TableForm::csv;
    if (!filter.empty()) packets.flows.emplace(filter, "-f", OtherNames::refuse);
    if (!verdicts.empty()) packets.verdicts = VerdictSet::named(verdicts);
    select_packets(packets, never);
    return test::file_text(packets.output);
  }

  reference::Options options;
  Setting setting;
  std::vector<std::uint8_t> bytes;
  InProcess program;
  test::Extracted extracted;
  const std::atomic<bool> never = false;
};

Setting setting_of(std::uint64_t seed) {
  return {.threads = static_cast<unsigned>(1 + seed % 4),
          .run_memory = seed % 2,
          .full_counter = seed % 3 ? UINT32_MAX : 5};
}

void expect_sums(const Case& one, std::uint64_t seed) {
  ASSERT_EQ(flows_of(rows_of(one.table())), flows_of_records(one.extracted.csv))
      << "seed " << seed << ", " << one.setting << ", options " << test::arguments_text(one.options);
}

TEST(Verdicts, AddUpToFlowRecords) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 1; seed <= test::property_cases(150); ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_sums(Case(reference::random_case(seed), setting_of(seed)), seed));
  }
}

TEST(Verdicts, AddUpByFiveTuples) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 1; seed <= test::property_cases(50); ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_sums(Case(reference::five_tuple_case(seed), setting_of(seed)), seed));
  }
}

TEST(Verdicts, AddUpInTunnels) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 1; seed <= test::property_cases(50); ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_sums(Case(reference::wrapped_case(seed), setting_of(seed)), seed));
  }
}

// Rows that a filter takes are rows of the whole table: of flows that it is met by, and of the verdicts that are
// wanted.
TEST(Verdicts, OfSomeFlowsAreThoseOfTheWholeTable) {
  const test::SilentErrors silent;
  std::size_t some = 0;
  for (std::uint64_t seed = 1; seed <= test::property_cases(50); ++seed) {
    const Case one(reference::random_case(seed), setting_of(seed));
    const std::vector<Row> all = rows_of(one.table());
    std::map<std::pair<std::string, std::int64_t>, std::size_t> packets;
    for (const Row& row : all) ++packets[{key_of(row), number(row, "flow")}];
    std::vector<Row> wanted;
    for (const Row& row : all) {
      const bool is_wanted = row.at("verdict") == "retransmitted" || row.at("verdict") == "duplicate";
      if (is_wanted && packets[{key_of(row), number(row, "flow")}] > 9) wanted.push_back(row);
    }
    ASSERT_EQ(rows_of(one.table("packets > 9", "retransmitted,duplicate")), wanted) << "seed " << seed;
    some += wanted.size();
  }
  EXPECT_GT(some, 0u);
}

}  // namespace
}  // namespace warpmeter
