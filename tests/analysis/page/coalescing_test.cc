// What coalescing would save, as sentences, a table and the numbers of its chart.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analysis/page/page.h"
#include "support/report_flows.h"

namespace warpmeter {
namespace {

using test::data_flow;
using test::occurrences;

CoalescingSavings some_savings() {
  return {.rows = {{.threshold = 16 << 10,
                    .timeout_intervals = 10,
                    .packets = 400,
                    .super_packets = 100,
                    .joined = 700,
                    .saved_bytes = 40'000},
                   {.threshold = 64 << 10,
                    .timeout_intervals = 10,
                    .packets = 150,
                    .super_packets = 50,
                    .joined = 900,
                    .saved_bytes = 56'000}}};
}

TEST(CoalescingSection, IsNotThereIfNobodyCountedIt) {
  EXPECT_EQ(coalescing_section({}), "");
  ReportData data;
  data.add(data_flow(1, 100, 100, 0));
  EXPECT_EQ(page(data, {.inputs = {"flows.csv"}}).find("id=\"coalescing\""), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(chart_data(data)).contains("coalescing"));
}

TEST(CoalescingSection, TellsOfTheThresholdThatSavesMost) {
  const std::string text = coalescing_section(some_savings());
  EXPECT_NE(text.find("would leave 150 of 1,000 packets: 85 % less"), std::string::npos) << text;
  EXPECT_NE(text.find("A super-packet would be 18.0 packets."), std::string::npos) << text;
  EXPECT_EQ(occurrences(text, "<tr>"), 3u);
  EXPECT_NE(text.find("60 %"), std::string::npos);
  EXPECT_NE(text.find("7.0"), std::string::npos);
}

TEST(CoalescingSection, NothingToJoinIsSaid) {
  CoalescingSavings savings;
  for (const std::uint64_t packets : {10, 0}) {
    savings.rows = {{.threshold = 1024, .timeout_intervals = 10, .packets = packets}};
    EXPECT_NE(coalescing_section(savings).find("No two packets could be joined."), std::string::npos);
  }
  savings.rows = {{.threshold = 1024, .super_packets = 9, .joined = 4}};  // somebody wrote that by hand
  EXPECT_NE(coalescing_section(savings).find("id=\"coalescing\""), std::string::npos);
}

TEST(CoalescingSection, GivesItsChartTheShares) {
  ReportData data;
  data.add(data_flow(1, 100, 100, 0));
  PageOptions options;
  options.coalescing = some_savings();
  const auto chart = nlohmann::json::parse(chart_data(data, options)).at("coalescing");
  ASSERT_EQ(chart.size(), 2u);
  EXPECT_EQ(chart[1].at("threshold"), 64 << 10);
  EXPECT_EQ(chart[1].at("timeout"), 10);
  EXPECT_EQ(chart[1].at("saved"), 850);
  EXPECT_EQ(chart[1].at("packets"), 1000);
}

}  // namespace
}  // namespace warpmeter
