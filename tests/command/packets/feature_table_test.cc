// Features of flows and what the oracle of tests/reference says of the same random traffic: it decodes and meters by
// its own code, and each feature is worked out here from the list of the flow's packets, in the plainest way.
#include "command/packets/flow_features.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "command/packets/select_packets.h"
#include "property/in_process.h"
#include "reference/csv.h"
#include "reference/meter.h"
#include "reference/random_traffic.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;
using Numbers = std::vector<std::int64_t>;
using Cells = std::map<std::string, std::string>;

constexpr std::int64_t kIdleAfter = 3'000'000;

struct Seen {
  std::int64_t time, length, order;
  bool is_reverse = false;
};

struct OracleFlow {
  reference::Flow flow;
  std::string key;  // as the CSV has it
  std::vector<Seen> packets;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') cells.emplace_back();
    else cells.back() += c;
  }
  return cells;
}

std::vector<Cells> rows_in(const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  const std::vector<std::string> names = cells_of(line);
  std::vector<Cells> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> values = cells_of(line);
    EXPECT_EQ(values.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i == 0) rows.emplace_back();
      rows.back()[names[i]] = values.at(i);
    }
  }
  return rows;
}

std::string key_text(const Cells& row, bool reversed = false) {
  const char* const names[2][4] = {{"src_addr", "dst_addr", "src_port", "dst_port"},
                                   {"dst_addr", "src_addr", "dst_port", "src_port"}};
  std::string text;
  for (const char* const name : names[reversed]) text += row.at(name) + " ";
  text += row.at("protocol");
  return row.contains("vlan_id") ? text + " " + row.at("vlan_id") : text;
}

// In the order of the output.
std::vector<OracleFlow> oracle_flows(const std::vector<std::uint8_t>& bytes, reference::Options options) {
  options.first_packet = true;
  reference::Meter meter(options);
  std::map<std::int64_t, std::vector<Seen>> packets;
  std::int64_t number = 0, order = 0;
  const reference::Capture capture = reference::read_capture(bytes);
  for (const reference::Frame& frame : capture.frames) {
    ++number;
    for (const auto& [packet, ignored] : reference::decode(frame, options)) {
      if (ignored) continue;
      packets[meter.take(packet, number, frame.time)].push_back({frame.time, packet.length, order++});
    }
  }
  std::vector<OracleFlow> flows;
  const std::vector<reference::Flow> finished = meter.finish();
  const std::vector<Cells> rows = rows_in(reference::csv(finished, options));
  for (std::size_t i = 0; i < finished.size(); ++i) {
    flows.push_back({finished[i], key_text(rows[i]), packets[finished[i].serial]});
  }
  return flows;
}

// The gap before each packet but the first: since the latest time so far.
Numbers gaps_of(const std::vector<Seen>& packets) {
  Numbers gaps;
  for (std::size_t i = 1; i < packets.size(); ++i) {
    std::int64_t latest = packets[0].time;
    for (std::size_t j = 0; j < i; ++j) latest = std::max(latest, packets[j].time);
    gaps.push_back(std::max<std::int64_t>(0, packets[i].time - latest));
  }
  return gaps;
}

void expect_near(const std::string& got, long double expected, const std::string& name) {
  ASSERT_FALSE(got.empty()) << name;
  EXPECT_LE(std::fabs(std::stold(got) - expected), 1e-9L * std::max(1.0L, std::fabs(expected))) << name << ": " << got;
}

void expect_moments(const Cells& row, const std::string& before, const std::string& behind, const Numbers& values) {
  const auto cell = [&](const char* what) { return row.at(before + what + "_" + behind); };
  if (values.empty()) {
    for (const char* const what : {"min", "mean", "max", "stddev"}) EXPECT_EQ(cell(what), "") << before << what;
    return;
  }
  EXPECT_EQ(cell("min"), std::to_string(*std::ranges::min_element(values))) << before << behind;
  EXPECT_EQ(cell("max"), std::to_string(*std::ranges::max_element(values))) << before << behind;
  long double sum = 0, squares = 0;
  for (const std::int64_t value : values) sum += static_cast<long double>(value);
  const long double mean = sum / static_cast<long double>(values.size());
  expect_near(cell("mean"), mean, before + "mean_" + behind);
  for (const std::int64_t value : values) squares += (value - mean) * (value - mean);
  if (values.size() < 2) EXPECT_EQ(cell("stddev"), "");
  else expect_near(cell("stddev"), std::sqrt(squares / static_cast<long double>(values.size() - 1)), before + behind);
}

void expect_direction(const Cells& row, const std::string& before, const std::vector<Seen>& packets) {
  std::int64_t bytes = 0;
  Numbers lengths;
  for (const Seen& packet : packets) {
    bytes += packet.length;
    lengths.push_back(packet.length);
  }
  EXPECT_EQ(row.at(before + "packets"), std::to_string(packets.size()));
  EXPECT_EQ(row.at(before + "bytes"), std::to_string(bytes));
  expect_moments(row, before, "ps", lengths);
  expect_moments(row, before, "piat_ns", gaps_of(packets));
}

void expect_periods(const Cells& row, const std::vector<Seen>& packets) {
  Numbers idle, active;
  const Numbers gaps = gaps_of(packets);
  std::int64_t since = packets.front().time, latest = since;
  for (std::size_t i = 1; i < packets.size(); ++i) {
    if (gaps[i - 1] > kIdleAfter) {
      idle.push_back(gaps[i - 1]);
      active.push_back(latest - since);
      since = packets[i].time;
    }
    latest = std::max(latest, packets[i].time);
  }
  active.push_back(latest - since);
  EXPECT_EQ(row.at("idle_periods"), std::to_string(idle.size()));
  EXPECT_EQ(row.at("active_periods"), std::to_string(active.size()));
  expect_moments(row, "idle_", "ns", idle);
  expect_moments(row, "active_", "ns", active);
}

void expect_first_packets(const Cells& row, const std::vector<Seen>& packets, std::size_t most) {
  std::string directions, lengths, gaps;
  const Numbers all = gaps_of(packets);
  for (std::size_t i = 0; i < std::min(most, packets.size()); ++i) {
    const std::string between = i == 0 ? "" : ";";
    directions += between + (packets[i].is_reverse ? "1" : "0");
    lengths += between + std::to_string(packets[i].length);
    gaps += between + std::to_string(i == 0 ? 0 : all[i - 1]);
  }
  EXPECT_EQ(row.at("splt_direction"), directions);
  EXPECT_EQ(row.at("splt_ps"), lengths);
  EXPECT_EQ(row.at("splt_piat_ns"), gaps);
}

// Random traffic goes one way: here every third IPv4 packet over Ethernet goes the other one.
std::vector<std::uint8_t> both_ways(std::vector<std::uint8_t> bytes) {
  const reference::Capture capture = reference::read_capture(bytes);
  std::uint8_t* at = bytes.data() + 24;  // behind the header of the file
  for (std::size_t i = 0; i < capture.frames.size(); at += capture.frames[i++].bytes.size()) {
    const reference::Frame& frame = capture.frames[i];
    at += 16;  // the header of the record
    if (i % 3 != 0 || frame.link != 1 || frame.bytes.size() < 38) continue;
    if (at[12] != 8 || at[13] != 0 || at[14] != 0x45) continue;
    std::swap_ranges(at + 26, at + 30, at + 30);
    if (at[23] == kProtocolTcp || at[23] == kProtocolUdp) std::swap_ranges(at + 34, at + 36, at + 36);
  }
  return bytes;
}

reference::RandomCase ethernet_case(std::uint64_t seed) {
  reference::RandomCase random_case = reference::random_case(seed);
  random_case.shape.link = 1;
  return random_case;
}

struct FeatureCase {
  FeatureCase(const reference::RandomCase& random_case, const Setting& chosen)
      : options(random_case.options), setting(chosen), bytes(both_ways(reference::random_traffic(random_case.shape))) {
    options.aggregate = false;
    options.sample_one_in = 1;
    test::write_file(program.folder().file("part0.pcap"), bytes);
  }

  PacketsOptions packets_options(std::uint32_t first) const {
    PacketsOptions packets;
    packets.metering = program.options_of({program.folder().file("part0.pcap")}, options, setting);
    packets.output = packets.metering.output.file = program.folder().file("features.csv");
    packets.table = TableForm::csv;
    packets.features = FeatureOptions{.first_packets = first, .idle_after_ns = kIdleAfter};
    return packets;
  }
  std::vector<Cells> rows(std::uint32_t first, bool biflow, const std::string& filter = "") const {
    PacketsOptions packets = packets_options(first);
    packets.metering.biflow = biflow;
    if (!filter.empty()) packets.flows.emplace(filter, "-f", OtherNames::refuse);
    select_packets(packets, never);
    return rows_in(test::file_text(packets.output));
  }

  reference::Options options;
  Setting setting;
  std::vector<std::uint8_t> bytes;
  InProcess program;
  const std::atomic<bool> never = false;
};

Setting features_setting(std::uint64_t seed) {
  return {.threads = static_cast<unsigned>(1 + seed % 4), .run_memory = seed % 2};
}

void expect_flows(const FeatureCase& one, std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed) + " options " + test::arguments_text(one.options));
  const auto first = static_cast<std::uint32_t>(1 + seed % 255);
  const std::vector<OracleFlow> flows = oracle_flows(one.bytes, one.options);
  const std::vector<Cells> rows = one.rows(first, false);
  ASSERT_EQ(rows.size(), flows.size());
  for (std::size_t i = 0; i < rows.size() && !testing::Test::HasFailure(); ++i) {
    const OracleFlow& flow = flows[i];
    EXPECT_EQ(key_text(rows[i]), flow.key);
    EXPECT_EQ(rows[i].at("start_ns"), std::to_string(flow.flow.start));
    EXPECT_EQ(rows[i].at("end_ns"), std::to_string(flow.flow.end));
    EXPECT_EQ(rows[i].at("first_packet"), std::to_string(flow.flow.arrival));
    EXPECT_EQ(rows[i].at("src2dst_packets"), std::to_string(flow.flow.counters.packets));
    EXPECT_EQ(rows[i].at("src2dst_bytes"), std::to_string(flow.flow.counters.bytes));
    EXPECT_EQ(rows[i].at("src2dst_duration_ns"), std::to_string(flow.flow.end - flow.flow.start));
    expect_direction(rows[i], "src2dst_", flow.packets);
    expect_periods(rows[i], flow.packets);
    expect_first_packets(rows[i], flow.packets, first);
  }
  ASSERT_FALSE(testing::Test::HasFailure());
}

TEST(FeatureTable, AreThoseOfTheOracle) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 1; seed <= test::property_cases(100); ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_flows(FeatureCase(reference::random_case(seed), features_setting(seed)), seed));
  }
}

TEST(FeatureTable, AreThoseOfTheOracleByFiveTuples) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 1; seed <= test::property_cases(40); ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_flows(FeatureCase(reference::five_tuple_case(seed), features_setting(seed)), seed));
  }
}

TEST(FeatureTable, AreThoseOfTheOracleInTunnels) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 1; seed <= test::property_cases(40); ++seed) {
    ASSERT_NO_FATAL_FAILURE(expect_flows(FeatureCase(reference::wrapped_case(seed), features_setting(seed)), seed));
  }
}

// The one of this key and these times; null, if there is none, or more than one.
const OracleFlow* flow_with(const std::vector<OracleFlow>& flows, const std::string& key, const std::string& start,
                            const std::string& end) {
  const OracleFlow* found = nullptr;
  for (const OracleFlow& flow : flows) {
    if (flow.key != key || std::to_string(flow.flow.start) != start || std::to_string(flow.flow.end) != end) continue;
    if (found) return nullptr;
    found = &flow;
  }
  return found;
}

// Which flows are the directions of a biflow follows from others' tests: by the row's times.
TEST(FeatureTable, OfBiflowsAreThoseOfBothDirections) {
  const test::SilentErrors silent;
  std::size_t both = 0;
  for (std::uint64_t seed = 1; seed <= test::property_cases(60); ++seed) {
    const FeatureCase one(ethernet_case(seed), features_setting(seed));
    SCOPED_TRACE("seed " + std::to_string(seed) + " options " + test::arguments_text(one.options));
    const std::vector<OracleFlow> flows = oracle_flows(one.bytes, one.options);
    std::size_t packets = 0;
    for (const Cells& row : one.rows(9, true)) {
      packets += std::stoul(row.at("bidirectional_packets"));
      const bool is_icmp = row.at("protocol") == "1" || row.at("protocol") == "58";
      const OracleFlow* const forward = flow_with(flows, key_text(row), row.at("start_ns"), row.at("end_ns"));
      if (!forward || is_icmp) continue;
      std::vector<Seen> all = forward->packets;
      expect_direction(row, "src2dst_", forward->packets);
      if (row.at("reverse_start_ns").empty()) {
        EXPECT_EQ(row.at("dst2src_packets"), "0");
        EXPECT_EQ(row.at("dst2src_duration_ns"), "");
      } else {
        const OracleFlow* const reverse =
            flow_with(flows, key_text(row, true), row.at("reverse_start_ns"), row.at("reverse_end_ns"));
        if (!reverse) continue;
        ++both;
        expect_direction(row, "dst2src_", reverse->packets);
        for (Seen packet : reverse->packets) {
          packet.is_reverse = true;
          all.push_back(packet);
        }
        std::ranges::sort(all, {}, &Seen::order);
      }
      expect_direction(row, "bidirectional_", all);
      expect_periods(row, all);
      expect_first_packets(row, all, 9);
    }
    std::size_t metered = 0;
    for (const OracleFlow& flow : flows) metered += flow.packets.size();
    EXPECT_EQ(packets, metered);
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(both, 100u);
}

TEST(FeatureTable, OfSomeFlowsAreRowsOfTheWholeTable) {
  const test::SilentErrors silent;
  std::size_t some = 0;
  for (std::uint64_t seed = 1; seed <= test::property_cases(30); ++seed) {
    const FeatureCase one(reference::random_case(seed), features_setting(seed));
    for (const bool biflow : {false, true}) {
      std::vector<Cells> wanted = one.rows(20, biflow);
      std::erase_if(wanted, [](const Cells& row) { return std::stoul(row.at("src2dst_packets")) <= 4; });
      ASSERT_EQ(one.rows(20, biflow, "packets > 4"), wanted) << "seed " << seed;
      some += wanted.size();
    }
  }
  EXPECT_GT(some, 0u);
}

}  // namespace
}  // namespace warpmeter
