// Judgements, on traffic made for each.
#include "page/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "page/confidence.h"
#include "support/report_flows.h"

namespace warpmeter {
namespace {

using test::data_flow;
using test::kSecondNs;

FlowRecord flow_at(int number, int second, std::uint64_t missing) {
  FlowRecord flow = data_flow(number, 1000 + number, 100, 0);
  flow.start_ns = test::kNoon + second * kSecondNs;
  flow.end_ns = flow.start_ns + kSecondNs / 2;
  flow.missing_bytes = missing;
  return flow;
}

TEST(Findings, ManyFlowsWithGapsAtOnceAreTheCapturesLoss) {
  ReportData data;
  for (int i = 0; i < 1000; ++i) data.add(flow_at(i, i / 10, i / 10 == 40 || i / 10 == 41 ? 1460 : 0));
  const LossHint hint = judge_loss(data);
  EXPECT_EQ(hint.verdict, Loss::capture);
  EXPECT_NEAR(hint.missing_in_bad_times, 1, 1e-9);
  EXPECT_LT(hint.bad_times, 0.05);
}

TEST(Findings, FewFlowsWithGapsAreThePathsLoss) {
  ReportData data;
  for (int i = 0; i < 1000; ++i) data.add(flow_at(i, i / 10, i % 25 == 0 ? 1460 : 0));
  EXPECT_EQ(judge_loss(data).verdict, Loss::path);
}

TEST(Findings, BetweenTheseNothingIsClaimed) {
  ReportData data;
  for (int i = 0; i < 1000; ++i) data.add(flow_at(i, i / 10, i % 6 == 0 ? 1460 : 0));
  EXPECT_EQ(judge_loss(data).verdict, Loss::unclear);
  ReportData few;
  for (int i = 0; i < 5; ++i) few.add(flow_at(i, 0, 1460));
  EXPECT_EQ(judge_loss(few).verdict, Loss::unclear);
  ReportData none;
  none.add(flow_at(1, 0, 0));
  EXPECT_EQ(judge_loss(none).verdict, Loss::none);
}

Copies copies(std::uint64_t packets, std::uint64_t duplicates) {
  ReportData data;
  FlowRecord flow = data_flow(1, 2, 10, 0);
  flow.packets = packets;
  flow.duplicate_packets = duplicates;
  data.add(flow);
  return judge_copies(data);
}

TEST(Findings, TellsWholeFlowsFromScatteredCopies) {
  EXPECT_EQ(copies(1000, 0), Copies::none);
  EXPECT_EQ(copies(1000, 495), Copies::twice);
  EXPECT_EQ(copies(1000, 50), Copies::scattered);
  EXPECT_EQ(copies(1000, 250), Copies::mixed);
}

TEST(Findings, CountsTheFewThatCauseMost) {
  ReportData data;
  data.add(data_flow(1, 9, 100, 60));
  data.add(data_flow(2, 9, 100, 20));
  data.add(data_flow(3, 9, 100, 20));
  data.add(data_flow(4, 9, 100, 0));
  const auto rank = [](const Counts& c) { return c.retransmitted_segments; };
  EXPECT_EQ(concentration(data.hosts, rank, 100, 0.5).keys, 1u);
  EXPECT_EQ(concentration(data.hosts, rank, 100, 0.7).keys, 2u);
  EXPECT_EQ(concentration(data.hosts, rank, 100, 0.7).of, 3u);
  EXPECT_EQ(concentration(data.hosts, rank, 1000, 0.7).keys, 0u);  // most were forgotten
}

// 27 of 89 stand out among a million segments; 2 of 3 do not, nor 9 of 9.
TEST(Findings, TheWorstHostIsTheSurest) {
  ReportData data;
  data.add(data_flow(1, 9, 1'000'000, 5'000));
  data.add(data_flow(2, 9, 89, 27));
  data.add(data_flow(3, 9, 3, 2));
  data.add(data_flow(4, 9, 9, 9));
  const auto worst = standing_out(data);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->second.data_segments, 89u);
  EXPECT_EQ(worst->first[4], 3);  // 10.0.0.3
}

TEST(Findings, NobodyStandsOutWhereAllAreAlike) {
  ReportData alike;
  for (int i = 0; i < 20; ++i) alike.add(data_flow(i, 99, 1000, 30 + static_cast<std::uint64_t>(i)));
  EXPECT_FALSE(standing_out(alike));
  ReportData alone;
  alone.add(data_flow(1, 9, 1000, 500));
  EXPECT_FALSE(standing_out(alone));
  ReportData few;
  few.add(data_flow(1, 9, 1000, 100));
  few.add(data_flow(2, 9, 10, 3));  // 30 %, but at least 11 %
  EXPECT_FALSE(standing_out(few));
}

// The most unlucky of 3,000 hosts with 4 % each has 8 or more of 34, which is at least 12 % with 95 % confidence.
TEST(Findings, AmongManyHostsSomeAreUnlucky) {
  std::mt19937 random(1);
  ReportData data;
  std::uint64_t most = 0;
  for (int i = 0; i < 3000; ++i) {
    std::uint64_t again = 0;
    for (int segment = 0; segment < 34; ++segment) again += random() % 25 == 0;
    most = std::max(most, again);
    data.add(data_flow(i, 9000, 34, again));
  }
  EXPECT_GE(at_least(most, 34), kFarMore * 0.04);
  EXPECT_FALSE(standing_out(data));
  data.add(data_flow(5000, 9000, 89, 27));
  ASSERT_TRUE(standing_out(data));
  EXPECT_EQ(standing_out(data)->second.data_segments, 89u);
}

// One flow in 20 is 5 %, and may be a quarter.
TEST(Findings, AFewFlowsDoNotSayThatOnlyAFewHaveGaps) {
  ReportData data;
  for (int i = 0; i < 20; ++i) data.add(flow_at(i, i, i == 0 ? 1460 : 0));
  EXPECT_EQ(judge_loss(data).verdict, Loss::unclear);
}

}  // namespace
}  // namespace warpmeter
