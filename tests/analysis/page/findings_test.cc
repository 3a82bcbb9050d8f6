// Judgements, on traffic made for each.
#include "analysis/page/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/page/confidence.h"
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

ReportData twenty_hosts() {
  ReportData data;
  for (int host = 0; host < 20; ++host) {
    for (int flow = 0; flow < 5; ++flow)
      data.add(data_flow(host, 99, 200, static_cast<std::uint64_t>(4 + (host + flow) % 3)));
  }
  return data;
}

TEST(Findings, ClosedWindowsAreTestedAsRetransmissionsAre) {
  ReportData data = twenty_hosts();
  const auto closing = [](int host, std::uint64_t closed) {
    FlowRecord flow = data_flow(host, 99, 500, 10);
    flow.zero_window_count = closed;
    return flow;
  };
  for (int host = 0; host < 20; ++host) {
    for (int flow = 0; flow < 5; ++flow) data.add(closing(host, 3));
  }
  EXPECT_FALSE(test_hosts(data).closed_windows.host);
  for (int flow = 0; flow < 5; ++flow) data.add(closing(30, 40));
  const HostTests tests = test_hosts(data);
  EXPECT_EQ(tests.closed_windows.examined, 21u);
  EXPECT_FALSE(tests.retransmissions.host);
  ASSERT_TRUE(tests.closed_windows.host);
  EXPECT_EQ((*tests.closed_windows.host)[4], 31);
  EXPECT_EQ(tests.closed_windows.events, 200);
  EXPECT_EQ(tests.closed_windows.trials, 2500);
}

// Of a flow whose meter counts segments but not which of them came again, nothing is known.
TEST(Findings, WhatWasNotMeasuredIsNotTested) {
  ReportData data = twenty_hosts();
  FlowRecord flow = data_flow(0, 99, 1'000'000, 0);
  flow.absent = test::without("retransmitted_segments");
  for (int host = 0; host < 19; ++host) {
    flow.key = data_flow(host, 99, 1, 0).key;
    data.add(flow);
    data.add(flow);
  }
  const StandingOut test = test_hosts(data).retransmissions;
  EXPECT_EQ(test.examined, 20u);
  EXPECT_FALSE(test.host);  // host 19 has 2.5 %; the others no less, as nothing is known of their millions
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
  EXPECT_GE(at_least(most, 34), 2 * 0.04);
  EXPECT_EQ(test_hosts(data).retransmissions.examined, 3000u);
  EXPECT_FALSE(test_hosts(data).retransmissions.host);
  for (const std::uint64_t again : {9, 8, 10}) data.add(data_flow(5000, 9000, 30, again));
  ASSERT_TRUE(test_hosts(data).retransmissions.host);
  EXPECT_EQ(test_hosts(data).retransmissions.trials, 90);
}

// Hosts that were forgotten were examined too, and their segments are among those of all others.
TEST(Findings, ForgottenHostsCount) {
  ReportData data(50, 50);
  for (int host = 0; host < 500; ++host) {
    for (int flow = 0; flow < 2; ++flow) data.add(data_flow(host, 99, 100, 2));
  }
  ASSERT_TRUE(data.hosts.forgot());
  EXPECT_FALSE(test_hosts(data).retransmissions.host);
  for (int flow = 0; flow < 20; ++flow) data.add(data_flow(600, 99, 100, 10));
  const StandingOut test = test_hosts(data).retransmissions;
  ASSERT_TRUE(test.host);
  EXPECT_NEAR(test.outlier.others_share, 0.02, 1e-9);
}

// Every tenth flow has a gap, whenever it is: among a few flows at once one is more than a quarter soon.
TEST(Findings, FewFlowsAtOnceAreNoBadTime) {
  ReportData data;
  std::mt19937 random(7);
  for (int i = 0; i < 600; ++i) data.add(flow_at(i, i, random() % 10 == 0 ? 1460 : 0));
  EXPECT_NE(judge_loss(data).verdict, Loss::capture);
  EXPECT_EQ(judge_loss(data).missing_in_bad_times, 0);
}

// One flow in 20 is 5 %, and may be a quarter.
TEST(Findings, AFewFlowsDoNotSayThatOnlyAFewHaveGaps) {
  ReportData data;
  for (int i = 0; i < 20; ++i) data.add(flow_at(i, i, i == 0 ? 1460 : 0));
  EXPECT_EQ(judge_loss(data).verdict, Loss::unclear);
}

}  // namespace
}  // namespace warpmeter
