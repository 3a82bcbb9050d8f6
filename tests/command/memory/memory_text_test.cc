// What is said of tables.
#include "command/memory/measure_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace warpmeter {
namespace {

// 100 s at 8 Mbit/s; 2 streams and 3 MB, of all timeouts and block sizes.
MemoryTables some_tables() {
  MemoryTables tables{.packets = 100'000, .ip_bytes = 100'000'000, .length_ns = 100'000'000'000};
  tables.streams.fill({2, 4});
  for (auto& row : tables.buffered) row.fill({3e6, 6'000'000});
  return tables;
}

PageOptions page_of(const std::string& title, const std::string& input) {
  PageOptions options;
  options.title = title;
  options.inputs = {input};
  return options;
}

TEST(MemoryText, NeedsAreInProportionToTheRate) {
  const auto needs = needs_in_words(some_tables(), {});
  ASSERT_EQ(needs.size(), 3u);
  EXPECT_EQ(needs[0], "1 Gbit/s: 375 MB (peak 750 MB) for 250 streams (peak 500)");
  EXPECT_EQ(needs[2], "100 Gbit/s: 37.5 GB (peak 75 GB) for 25 k streams (peak 50 k)");
}

TEST(MemoryText, NeedsAreThoseOfTheChoice) {
  MemoryTables tables = some_tables();
  tables.buffered[2][3] = {8e6, 8'000'000};
  tables.streams[2] = {8, 8};
  EXPECT_EQ(needs_in_words(tables, {2, 3})[0], "1 Gbit/s: 1 GB (peak 1 GB) for 1 k streams (peak 1 k)");
  EXPECT_EQ(needs_heading({2, 3}), "With a timeout of 4 s and blocks of 8K such traffic would need, of");
}

TEST(MemoryText, ShortTracesSayLittle) {
  MemoryTables tables = some_tables();
  EXPECT_EQ(remarks_on(tables).at(0), "The trace is 1 min 40 s long: it says little about timeouts from 128 to 256 s.");
  tables.length_ns = 200'000'000'000;
  EXPECT_EQ(remarks_on(tables).at(0), "The trace is 3 min 20 s long: it says little about timeouts of 256 s.");
  tables.length_ns = 256'000'000'000;
  EXPECT_TRUE(remarks_on(tables).empty());
}

TEST(MemoryText, WhatIsNotExactIsSaid) {
  MemoryTables tables = some_tables();
  tables.length_ns = 300'000'000'000;
  tables.ended_early = 1;
  tables.forgotten = 2;
  tables.joined_ranges = 3;
  tables.damaged_inputs = 1;
  tables.interrupted = true;
  const auto remarks = remarks_on(tables);
  ASSERT_EQ(remarks.size(), 5u);
  EXPECT_TRUE(remarks[3].starts_with("1 input could not be read to the end"));
  EXPECT_TRUE(remarks[4].starts_with("Reading was interrupted"));
  EXPECT_TRUE(remarks[0].starts_with("1 connection"));
  EXPECT_TRUE(remarks[1].starts_with("2 dead connections"));
  EXPECT_TRUE(remarks[2].starts_with("3 gaps"));
}

TEST(MemoryText, OfNothingThereIsNoTable) {
  const std::string text = memory_table_text({}, {});
  EXPECT_EQ(text, "Trace: no IP packets\n\nThere is not a single IP packet, and so nothing to tell.\n");
  EXPECT_EQ(memory_csv({}).find('\n') + 1, memory_csv({}).size());
  const auto json = nlohmann::json::parse(memory_json({}, {}));
  EXPECT_EQ(json["ip_packets"], 0);
  EXPECT_FALSE(json.contains("mbps"));
}

TEST(MemoryText, OfOneTimeThereIsNoRate) {
  const MemoryTables tables{.packets = 1, .ip_bytes = 40};
  EXPECT_EQ(
      memory_table_text(tables, {}),
      "Trace: 1 IP packet, 40 B, all at one time\n\nAll packets have one time: there is no rate, and so nothing to "
      "tell.\n");
}

TEST(MemoryText, WhatIsNotExactIsSaidWithoutARateToo) {
  MemoryTables tables;
  tables.packets = 2;
  tables.ended_early = 1;
  EXPECT_EQ(remarks_on(tables).size(), 2u);
}

TEST(MemoryText, CsvHasARowForEachTimeoutAndBlockSize) {
  const std::string csv = memory_csv(some_tables());
  EXPECT_EQ(std::ranges::count(csv, '\n'), 82);
  EXPECT_NE(csv.find("\n64,16384,2,4,3000000,6000000,0.25,0.5,0.375,0.75,100,100000000,8\n"), std::string::npos) << csv;
}

TEST(MemoryText, JsonHasWholeNumbersForPeaks) {
  const auto json = nlohmann::json::parse(memory_json(some_tables(), {}));
  EXPECT_EQ(json["buffered_bytes"]["peak"][8][8].dump(), "6000000");
  EXPECT_EQ(json["streams_per_mbps"]["peak"][0], 0.5);
  EXPECT_EQ(json["needs"]["of"][1]["bytes"]["mean"], 3.75e9);
  EXPECT_EQ(json["timeouts_s"].back(), 256);
  EXPECT_EQ(json["block_bytes"].front(), 1024);
}

TEST(MemoryText, PageHasChartsTablesAndNames) {
  const std::string page = memory_html(some_tables(), {}, page_of("A <b>", "x&y.pcap"));
  EXPECT_NE(page.find("<title>A &lt;b&gt;</title>"), std::string::npos);
  EXPECT_NE(page.find("x&amp;y.pcap"), std::string::npos);
  for (const char* chart : {"streams", "timeouts", "blocks"})
    EXPECT_NE(page.find(std::string("data-chart=\"") + chart + '"'), std::string::npos);
  EXPECT_NE(page.find("375 MB"), std::string::npos);
  for (const char* place : {"@title@", "@about@", "@source@", "@content@", "@data@", "@script@"})
    EXPECT_EQ(page.find(place), std::string::npos) << place;
}

TEST(MemoryText, PageOfNothingHasNoCharts) {
  const std::string page = memory_html({}, {}, page_of("", "x.pcap"));
  EXPECT_EQ(page.find("data-chart=\""), std::string::npos);
  EXPECT_NE(page.find("not a single IP packet"), std::string::npos);
}

TEST(MemoryCells, AreFoundByTheirValue) {
  EXPECT_EQ(timeout_number(64'000'000'000), kDefaultTimeout);
  EXPECT_EQ(timeout_number(3'000'000'000), std::nullopt);
  EXPECT_EQ(timeout_number(-1), std::nullopt);
  EXPECT_EQ(block_size_number(16 << 10), kDefaultBlockSize);
  EXPECT_EQ(block_size_number(16'000), std::nullopt);
}

}  // namespace
}  // namespace warpmeter
