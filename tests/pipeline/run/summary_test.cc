// The summary for people tells rare things only when they happened; the one for programs tells everything.
#include "pipeline/run/summary.h"

#include <gtest/gtest.h>

#include "support/json_text.h"

namespace warpmeter {
namespace {

Summary eventful() {
  Summary s;
  s.backend = "cpu";
  s.decode.frames = 10;
  s.decode.metered = 7;
  s.decode.ignored[static_cast<int>(Ignored::not_ip)] = 2;
  s.decode.ignored[static_cast<int>(Ignored::filtered_out)] = 1;
  s.decode.short_transport_headers = 3;
  s.decode.malformed_segments = 4;
  s.meter.evicted = 5;
  s.meter.dropped_holes = 6;
  s.meter.jumps = 2;
  s.totals.stray_segments = 11;
  s.join.evicted_joined = 7;
  s.join.late_packets = 8;
  s.join.flows_by_end_reason = {0, 1, 2, 3, 4, 5};
  s.runs_written = 9;
  s.rows = 15;
  s.findings.damage = {{"a.pcap", 123, "cut short"}};
  s.findings.unreadable = {"b.pcap: \xff"};
  s.status = ExitStatus::damaged;
  return s;
}

bool has_line(const std::string& text, const std::string& line) { return text.find(line + "\n") != std::string::npos; }

TEST(Summary, TellsRareThings) {
  const std::string text = summary_text(eventful(), false);
  EXPECT_TRUE(has_line(text, "  packets ignored     not IP 2, filtered out 1")) << text;
  EXPECT_TRUE(has_line(text, "  short headers       3")) << text;
  EXPECT_TRUE(has_line(text, "  malformed segments  4")) << text;
  EXPECT_TRUE(has_line(text,
                       "  evicted flows       5; of these, retransmissions and missing bytes are incomplete "
                       "(--memory)"))
      << text;
  EXPECT_TRUE(has_line(text, "  evicted and joined  7")) << text;
  EXPECT_TRUE(has_line(text, "  late packets        8")) << text;
  EXPECT_TRUE(has_line(text, "  holes dropped       6")) << text;
  EXPECT_TRUE(has_line(text, "  stray segments      11")) << text;
  EXPECT_TRUE(has_line(text, "  sequence jumps      2")) << text;
  EXPECT_TRUE(has_line(text, "  runs written        9")) << text;
}

TEST(Summary, CountsWhatItsListsHaveNoRoomFor) {
  Summary s = eventful();
  s.files = 9;
  s.files_damaged = 3;
  s.unreadable_beyond = 3;
  const std::string text = summary_text(s, false);
  EXPECT_TRUE(has_line(text, "  files               9 read, 3 of them damaged")) << text;
  EXPECT_TRUE(has_line(text, "  unreadable          4 files")) << text;
}

// Lost ones are among them, for people as for programs.
TEST(Summary, ExportedAreAllRecordsForTheCollector) {
  Summary s = eventful();
  s.exported = ExportReport{{.records = 100, .lost_records = 20, .messages = 4}, ""};
  EXPECT_TRUE(
      has_line(summary_text(s, false), "  exported            100 records in 4 messages, 20 of the records lost"))
      << summary_text(s, false);
  const std::string json = summary_json(s);
  EXPECT_NE(json.find("\"exported\": {\n    \"records\": 100,\n    \"lost_records\": 20,"), std::string::npos) << json;
}

TEST(Summary, TellsWhatWasSkipped) {
  Summary s = eventful();
  s.findings.skips = {.places = 2, .bytes = 12};
  s.findings.odd_fractions = {{"odd.pcap", 86}};
  EXPECT_TRUE(has_line(summary_text(s, false), "  skipped             12 bytes in 2 places (--resync)"));
  const std::string json = summary_json(s);
  EXPECT_NE(json.find("\"skipped\": {\n    \"places\": 2,\n    \"bytes\": 12\n  }"), std::string::npos) << json;
  EXPECT_NE(json.find("\"file\": \"odd.pcap\",\n      \"offset\": 86"), std::string::npos) << json;
}

TEST(Summary, TellsHowTheBoundOnRoundsChanged) {
  Summary s = eventful();
  EXPECT_EQ(summary_json(s).find("changes_of_rounds"), std::string::npos);
  s.rounds_changes.emplace();
  EXPECT_EQ(summary_text(s, false).find("rounds"), std::string::npos);
  EXPECT_NE(summary_json(s).find("\"changes_of_rounds\": []"), std::string::npos);
  s.rounds_changes = {{5, 4}, {6, 2}, {7, RoundsBound::kNone}};
  EXPECT_TRUE(
      has_line(summary_text(s, false), "  rounds              all at the end, at most 2 at the least, 3 changes"));
  const std::string json = summary_json(s);
  EXPECT_NE(json.find("\"from_ns\": 6,\n      \"most_rounds\": 2"), std::string::npos) << json;
  EXPECT_NE(json.find("\"from_ns\": 7,\n      \"most_rounds\": 0"), std::string::npos) << json;
}

TEST(Summary, TellsWhichOfItsPlacesEndedNotThatFilesDid) {
  Summary s = eventful();
  s.points = {{"eth0", 0}, {"eth1", 0}};
  const std::string text = summary_text(s, false);
  EXPECT_TRUE(has_line(text, "  gone                1 of 2 interfaces")) << text;
  EXPECT_EQ(text.find("unreadable"), std::string::npos) << text;
  s.points = {{"shm:tap", 0}, {"eth1", 0}};
  EXPECT_TRUE(has_line(summary_text(s, false), "  gone                1 of 2 interfaces and feeders"));
  s.points = {{"shm:tap", 0}};
  EXPECT_TRUE(has_line(summary_text(s, false), "  gone                1 of 1 feeder"));
}

TEST(Summary, KeepsQuietAboutWhatDidNotHappen) {
  const std::string text = summary_text(Summary{}, false);
  EXPECT_TRUE(has_line(text, "  packets ignored     none")) << text;
  EXPECT_TRUE(has_line(text, "  flow records        0")) << text;
  for (const char* rare : {"evicted", "late", "dropped", "malformed", "runs", "stages"}) {
    EXPECT_EQ(text.find(rare), std::string::npos) << rare;
  }
}

TEST(Summary, TellsThatItWasInterrupted) {
  Summary s;
  EXPECT_EQ(summary_text(s, false).find("interrupted"), std::string::npos);
  s.interrupted = true;
  EXPECT_TRUE(has_line(summary_text(s, false), "  interrupted         what was read until then is in the output"));
}

TEST(Summary, TellsStagesWhenAsked) {
  Summary s;
  s.stages = {{"meter", 1.25}};
  EXPECT_TRUE(has_line(summary_text(s, true), "    meter             1.250"));
}

TEST(Summary, JsonTellsEverything) {
  const auto json = test::parsed(summary_json(eventful()));
  EXPECT_EQ(json["exit_status"], 3);
  EXPECT_EQ(json["packets_read"], 10);
  EXPECT_EQ(json["ignored"]["not IP"], 2);
  EXPECT_EQ(json["ignored"]["cut short"], 0);
  EXPECT_EQ(json["malformed_segments"], 4);
  EXPECT_EQ(json["evicted_flows"], 5);
  EXPECT_EQ(json["evicted_flows_joined"], 7);
  EXPECT_EQ(json["holes_dropped"], 6);
  EXPECT_EQ(json["sequence_jumps"], 2);
  EXPECT_EQ(json["totals"]["stray_segments"], 11);
  EXPECT_EQ(json["flows_by_end_reason"]["lack of resources"], 5);
  EXPECT_EQ(json["damage"][0]["offset"], 123);
  EXPECT_EQ(json["unreadable"].size(), 1u);
  EXPECT_EQ(json["rows"], 15);
}

Summary of_method(Method method) {
  Summary s;
  s.method = method;
  s.block = 12345;
  s.meter.on_cpu = 99;
  s.totals.retransmitted_segments = 7;
  s.totals.retransmitted_bytes = 70;
  s.totals.out_of_order_segments = s.totals.keep_alive_segments = s.totals.missing_bytes = 8;
  return s;
}

TEST(Summary, OneIsNoPlural) {
  Summary s = of_method(Method::exact);
  s.totals.retransmitted_segments = s.totals.retransmitted_bytes = 1;
  s.totals.out_of_order_segments = s.totals.missing_bytes = 1;
  const std::string text = summary_text(s, false);
  EXPECT_TRUE(has_line(text, "  retransmitted       1 segment, 1 byte")) << text;
  EXPECT_TRUE(has_line(text, "  out of order        1 segment")) << text;
  EXPECT_TRUE(has_line(text, "  missing             1 byte")) << text;
}

TEST(Summary, FiveTupleTellsItsBlockAndNotWhatItDoesNotCount) {
  const std::string text = summary_text(of_method(Method::five_tuple), false);
  EXPECT_TRUE(has_line(text, "  retransmitted       7 segments, 70 bytes")) << text;
  EXPECT_TRUE(has_line(text, "  method              five-tuple, memory blocks of 12345 packets")) << text;
  EXPECT_TRUE(has_line(text, "  metered on the CPU  99")) << text;
  for (const char* other : {"out of order", "missing"}) EXPECT_EQ(text.find(other), std::string::npos) << other;
}

TEST(Summary, ExactTellsNothingOfMethodsAndBlocks) {
  const std::string text = summary_text(of_method(Method::exact), false);
  EXPECT_TRUE(has_line(text, "  out of order        8 segments")) << text;
  EXPECT_TRUE(has_line(text, "  missing             8 bytes")) << text;
  EXPECT_EQ(text.find("method"), std::string::npos) << text;
}

TEST(Summary, NothingOnTheCpuIsNotTold) {
  EXPECT_EQ(summary_text(Summary{}, false).find("on the CPU"), std::string::npos);
  EXPECT_EQ(test::parsed(summary_json(Summary{}))["metered on the CPU"], 0);
}

TEST(Summary, BackendIsToldWithItsReason) {
  Summary s;
  s.backend = "cpu";
  s.backend_reason = "GPU: it was lost";
  s.threads = 3;
  EXPECT_TRUE(has_line(summary_text(s, false), "  backend             cpu, 3 threads (GPU: it was lost)"));
  s.is_backend_remark = false;
  EXPECT_TRUE(has_line(summary_text(s, false), "  backend             cpu, 3 threads"));
  const auto json = test::parsed(summary_json(s));
  EXPECT_EQ(json["backend"]["name"], "cpu");
  EXPECT_EQ(json["backend"]["reason"], "GPU: it was lost");
}

TEST(Summary, JsonOfFiveTupleHasNullsForWhatItDoesNotCount) {
  const auto json = test::parsed(summary_json(of_method(Method::five_tuple)));
  EXPECT_EQ(json["method"], "five-tuple");
  EXPECT_EQ(json["block"], 12345);
  EXPECT_EQ(json["metered on the CPU"], 99);
  EXPECT_EQ(json["totals"]["retransmitted_segments"], 7);
  EXPECT_EQ(json["totals"]["retransmitted_bytes"], 70);
  for (const char* none : {"out_of_order_segments", "keep_alive_segments", "missing_bytes"}) {
    ASSERT_TRUE(json["totals"].contains(none)) << none;
    EXPECT_TRUE(json["totals"][none].is_null()) << none;
  }
}

TEST(Summary, JsonOfExactHasNoBlock) {
  const auto json = test::parsed(summary_json(of_method(Method::exact)));
  EXPECT_EQ(json["method"], "exact");
  EXPECT_FALSE(json.contains("block"));
  EXPECT_EQ(json["totals"]["missing_bytes"], 8);
}

}  // namespace
}  // namespace warpmeter
