// The metrics of a state: sums, labels, what is left out where it is not known; the dashboard asks for no others.
#include "command/live/live_state.h"

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

#include "support/source_folder.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

PolicyCounters some_policy() {
  PolicyCounters counters;
  counters.policy = std::make_shared<CompiledPolicy>(
      PolicyMemory::load("[[group]]\nid = 7\nname = \"web\"\nrule = [{ protocol = \"tcp\", label = \"a\" }]\n"), true);
  counters.rounds = 31;
  counters.dropped = 5;
  counters.truncated = 3;
  counters.forgotten = 2;
  counters.groups = {{.matched = 20, .mismatched = 11}};
  counters.hits = {20};
  return counters;
}

LiveState some_state() {
  LiveState state;
  state.now_ns = 5'000'000'000;
  state.rings = {{.point = "eth\"0",
                  .ring = 1,
                  .received = 70,
                  .filtered = 20,
                  .ring_full = 10,
                  .no_socket = 3,
                  .too_long = 4,
                  .cut = 5,
                  .uncut = 6,
                  .handed_over = 8,
                  .hand_over_full = 2}};
  state.rings[0].last_ns = 4'500'000'000;
  state.rings[0].fill = 0.25;
  state.points = {{"eth0", 7}, {"veth*", 0}};
  state.points[1].followed = {{"veth1", 20, 3, 0, false}, {"veth2", 9, 0, 0, true}};
  state.metering.metered = 60;
  state.metering.ignored[static_cast<int>(Ignored::not_ip)] = 10;
  state.records.latency[0] = 2;
  state.records.labels_cut = 9;
  state.records.totals.retransmitted_segments = 14;
  state.records.totals.stray_segments = 15;
  state.sample_one_in = 8;
  state.outputs.resize(2);
  state.outputs[0] = {"a.csv", {11, 12, 13}, 2, "full", true};
  state.outputs[1].output = "b.csv";
  state.collector = ExportState{};
  state.collector->queued_bytes = 99;
  state.streams =
      StreamFeedCounts{.connections = 9, .ended = 4, .dropped_blocks = 3, .unread_bytes = 5, .lost_segments = 7};
  state.policy = some_policy();
  state.most_rounds = 3;
  state.policy_reloads = {.reloads = 1, .errors = 2};
  state.policy_changes = PolicyControl::Counts{.changes = 4, .errors = 6};
  return state;
}

bool has_line(const std::string& text, const std::string& line) {
  return text.find("\n" + line + "\n") != std::string::npos;
}

TEST(LiveMetrics, SaysWhatTheStateSays) {
  const LiveState state = some_state();
  EXPECT_EQ(state.offered(), 114u);
  EXPECT_EQ(state.lost(), 26u);
  const std::string text = live_metrics(state, "1.2");
  for (const char* line :
       {R"(warpmeter_build_info{version="1.2"} 1)",
        R"(warpmeter_ring_offered_packets_total{interface="eth\"0",ring="1"} 107)",
        "warpmeter_policy_rounds_total 31",
        "warpmeter_policy_dropped_packets_total 5",
        "warpmeter_policy_truncated_packets_total 3",
        "warpmeter_policy_rounds_bound 3",
        "warpmeter_policy_forgotten_connections_total 2",
        "warpmeter_policy_records_with_labels_left_out_total 9",
        "warpmeter_policy_reloads_total 1",
        "warpmeter_policy_reload_errors_total 2",
        "warpmeter_policy_changes_total 4",
        "warpmeter_policy_change_errors_total 6",
        R"(warpmeter_policy_group_packets_total{group="7",name="web",outcome="match"} 20)",
        R"(warpmeter_policy_group_packets_total{group="7",name="web",outcome="mismatch"} 11)",
        R"(warpmeter_policy_rule_hits_total{group="7",name="web",rule="1"} 20)",
        R"(warpmeter_ring_lost_packets_total{interface="eth\"0",ring="1",place="ring_full"} 10)",
        R"(warpmeter_ring_lost_packets_total{interface="eth\"0",ring="1",place="no_socket"} 3)",
        R"(warpmeter_ring_lost_packets_total{interface="eth\"0",ring="1",place="too_long"} 4)",
        R"(warpmeter_ring_lost_packets_total{interface="eth\"0",ring="1",place="hand_over_full"} 2)",
        R"(warpmeter_ring_frames_of_segments_total{interface="eth\"0",ring="1",counted="by_segment"} 5)",
        R"(warpmeter_ring_frames_of_segments_total{interface="eth\"0",ring="1",counted="as_one"} 6)",
        R"(warpmeter_ring_handed_over_packets_total{interface="eth\"0",ring="1"} 8)",
        R"(warpmeter_ring_fill_ratio{interface="eth\"0",ring="1"} 0.25)",
        R"(warpmeter_ring_last_packet_age_seconds{interface="eth\"0",ring="1"} 0.5)",
        R"(warpmeter_interface_lost_packets_total{interface="eth0"} 7)",
        R"(warpmeter_followed_frames_total{pattern="veth*",interface="veth1"} 20)",
        R"(warpmeter_followed_long_frames_total{pattern="veth*",interface="veth1"} 3)",
        R"(warpmeter_followed_lost_packets_total{pattern="veth*",interface="veth1"} 0)",
        "warpmeter_metered_packets_total 60",
        "warpmeter_stream_live_connections 5",
        R"(warpmeter_stream_dropped_blocks_total{reason="queue_full"} 3)",
        R"(warpmeter_stream_dropped_bytes_total{reason="no_detector"} 5)",
        "warpmeter_stream_lost_segments_total 7",
        "warpmeter_stream_detector_connected 0",
        R"(warpmeter_output_lost_records_total{output="a.csv"} 11)",
        R"(warpmeter_output_lost_records_total{output="b.csv"} 0)",
        R"(warpmeter_output_lost_packets_total{output="a.csv"} 12)",
        R"(warpmeter_output_lost_octets_total{output="a.csv"} 13)",
        R"(warpmeter_output_incomplete_files_total{output="a.csv"} 2)",
        R"(warpmeter_output_failing{output="a.csv"} 1)",
        R"(warpmeter_output_failing{output="b.csv"} 0)",
        R"(warpmeter_ignored_packets_total{reason="not_ip"} 10)",
        "warpmeter_exported_packets_total 0",
        "warpmeter_exported_retransmitted_segments_total 14",
        "warpmeter_exported_stray_segments_total 15",
        "warpmeter_sample_one_in 8",
        "warpmeter_collector_queue_bytes 99",
        R"(warpmeter_record_latency_seconds_bucket{le="+Inf"} 2)"}) {
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
  EXPECT_EQ(text.find("warpmeter_ring_full_events_total{"), text.npos) << "nobody knows";
  EXPECT_EQ(text.find("veth2"), text.npos) << "it is gone";
}

TEST(LiveMetrics, WhatIsNotKnownIsLeftOut) {
  LiveState state = some_state();
  state.rings[0].last_ns = 0;
  state.rings[0].fill = {};
  state.collector = {};
  state.records.totals.absent = not_counted_by(Method::five_tuple);
  const std::string text = live_metrics(state, "1");
  EXPECT_EQ(text.find("warpmeter_exported_missing_bytes_total"), std::string::npos);
  EXPECT_TRUE(has_line(text, "warpmeter_exported_retransmitted_segments_total 14"));
  EXPECT_EQ(text.find("warpmeter_ring_fill_ratio{"), std::string::npos);
  EXPECT_EQ(text.find("warpmeter_ring_last_packet_age_seconds{"), std::string::npos);
  EXPECT_EQ(text.find("warpmeter_collector_"), std::string::npos);
}

// Each family has # HELP and # TYPE once, before its samples; counters end in _total.
TEST(LiveMetrics, IsWellFormed) {
  std::istringstream lines(live_metrics(some_state(), "1"));
  const std::regex sample(R"re(([a-z_]+)(\{([a-z_]+="([^"\\\n]|\\["\\n])*",?)+\})? [-+0-9.eInfNa]+)re");
  std::set<std::string> families;
  std::string family, type;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, what, name;
    if (line[0] == '#') {
      words >> hash >> what >> name;
      if (what == "HELP") EXPECT_TRUE(families.insert(name).second) << line;
      else words >> type;
      family = name;
      continue;
    }
    std::smatch match;
    ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
    const std::string of = match[1];
    EXPECT_TRUE(of == family || (type == "histogram" && of.starts_with(family + "_"))) << line;
    EXPECT_EQ(type == "counter", of.ends_with("_total")) << line;
  }
  EXPECT_GT(families.size(), 25u);
}

TEST(LiveMetrics, TheDashboardAsksForNoOthers) {
  std::ifstream file(test::source_folder() + "/data/grafana/warpmeter.json");
  ASSERT_TRUE(file);
  const std::string dashboard(std::istreambuf_iterator<char>(file), {});
  const std::string text = live_metrics(some_state(), "1");
  const std::regex name(R"(\b(warpmeter|process)_[a-z_]+)");
  std::set<std::string> asked;
  for (std::sregex_iterator at(dashboard.begin(), dashboard.end(), name), end; at != end; ++at) asked.insert(at->str());
  EXPECT_GT(asked.size(), 10u);
  for (const std::string& one : asked) {
    const bool there =
        text.find("\n" + one + " ") != std::string::npos || text.find("\n" + one + "{") != std::string::npos;
    EXPECT_TRUE(there) << one;
  }
}

}  // namespace
}  // namespace warpmeter
