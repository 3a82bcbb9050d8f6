// Which host stands out, through Flow Records and the page: seldom one where all behave alike, and one that has twice
// the share of the others.
#include "analysis/page/outlier.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "analysis/page/page.h"
#include "support/fewer.h"
#include "support/host_traffic.h"

namespace warpmeter {
namespace {

using test::HostTraffic;
using test::Losses;

constexpr unsigned kPages = test::if_long(100u, 40u);
constexpr std::string_view kClaim = "</b> stands out by its share";

// What the page claims: the host, or nothing.
std::string claimed(const ReportData& data) {
  const std::string text = page(data, {.title = "", .rows = 10, .inputs = {}, .damage = {}, .interrupted = false});
  const std::size_t at = text.find(kClaim);
  EXPECT_NE(at == std::string::npos, text.find("No host stands out") == std::string::npos);
  if (at == std::string::npos) return {};
  const std::size_t from = text.rfind('>', at) + 1;
  return text.substr(from, at - from);
}

class Alike : public testing::TestWithParam<HostTraffic> {};

TEST_P(Alike, AtMostOneOfTwentyPagesNamesAHost) {
  unsigned false_claims = 0;
  for (unsigned seed = 1; seed <= kPages; ++seed) {
    false_claims += !claimed(test::report_data(GetParam(), seed)).empty();
  }
  EXPECT_LE(false_claims, kPages / 20);
  RecordProperty("false_claims", false_claims);
}

// Five hosts to five hundred, shares from 0.2 % to 5 %; flows and hosts of very different sizes, of which many have a
// flow or two.
INSTANTIATE_TEST_SUITE_P(
    Outlier, Alike,
    testing::Values(HostTraffic{.hosts = 5, .share = 0.05, .losses = Losses::independent, .fewest_flows = 2},
                    HostTraffic{.hosts = 40, .share = 0.01, .losses = Losses::independent},
                    HostTraffic{.hosts = 500, .share = 0.002, .losses = Losses::independent},
                    HostTraffic{.hosts = 5, .share = 0.01, .losses = Losses::by_flow, .segments_spread = 2},
                    HostTraffic{.hosts = 40, .share = 0.05, .losses = Losses::by_flow},
                    HostTraffic{.hosts = 500, .share = 0.02, .losses = Losses::by_flow},
                    HostTraffic{.hosts = 5, .share = 0.05, .losses = Losses::in_bursts, .fewest_flows = 2},
                    HostTraffic{.hosts = 40, .share = 0.002, .losses = Losses::in_bursts},
                    HostTraffic{.hosts = 500, .share = 0.01, .losses = Losses::in_bursts, .segments_spread = 2},
                    HostTraffic{.hosts = 8, .share = 0.02, .losses = Losses::both},
                    HostTraffic{.hosts = 100, .share = 0.02, .losses = Losses::both, .segments_spread = 2},
                    HostTraffic{.hosts = 500, .share = 0.05, .losses = Losses::both},
                    // One flow a host, as addresses that are changed for privacy have.
                    HostTraffic{
                        .hosts = 500, .share = 0.02, .losses = Losses::independent, .flows = 0, .segments = 200},
                    HostTraffic{.hosts = 500, .share = 0.02, .losses = Losses::both, .flows = 0, .segments = 200}));

class Planted : public testing::TestWithParam<HostTraffic> {};

TEST_P(Planted, AllButOneOfTwentyPagesNameIt) {
  unsigned found = 0;
  for (unsigned seed = 1; seed <= kPages; ++seed) {
    found += claimed(test::report_data(GetParam(), seed)) == "10.0.0.4";
  }
  EXPECT_GE(found, kPages - kPages / 20);
  RecordProperty("found", found);
}

// Each has so many flows that its excess is six standard deviations and more of what clustering makes of it.
INSTANTIATE_TEST_SUITE_P(Outlier, Planted,
                         testing::Values(HostTraffic{.hosts = 5,
                                                     .share = 0.02,
                                                     .segments_spread = 1,
                                                     .fewest_flows = 100,
                                                     .planted = 3,
                                                     .planted_flows = 300},
                                         HostTraffic{.hosts = 40, .share = 0.02, .planted = 3, .planted_flows = 300},
                                         HostTraffic{.hosts = 500, .share = 0.01, .planted = 3, .planted_flows = 300},
                                         HostTraffic{.hosts = 40,
                                                     .share = 0.02,
                                                     .losses = Losses::by_flow,
                                                     .segments_spread = 1,
                                                     .planted = 3,
                                                     .planted_flows = 400},
                                         HostTraffic{.hosts = 500,
                                                     .share = 0.02,
                                                     .losses = Losses::by_flow,
                                                     .segments_spread = 1,
                                                     .planted = 3,
                                                     .planted_flows = 400},
                                         HostTraffic{.hosts = 40,
                                                     .share = 0.02,
                                                     .losses = Losses::in_bursts,
                                                     .flows = 25,
                                                     .segments_spread = 1,
                                                     .planted = 3,
                                                     .planted_flows = 1500},
                                         HostTraffic{.hosts = 500,
                                                     .share = 0.02,
                                                     .losses = Losses::in_bursts,
                                                     .segments_spread = 1,
                                                     .planted = 3,
                                                     .planted_flows = 1500},
                                         HostTraffic{.hosts = 100,
                                                     .share = 0.03,
                                                     .losses = Losses::both,
                                                     .segments_spread = 1,
                                                     .planted = 3,
                                                     .planted_flows = 1500}));

FlowSums host_of(std::vector<std::pair<double, double>> flows) {
  FlowSums sums;
  for (const auto& [trials, events] : flows) sums.add_flow(trials, events);
  return sums;
}

std::vector<FlowSums> alike(std::size_t hosts) {
  std::vector<FlowSums> all;
  for (std::size_t i = 0; i < hosts; ++i) all.push_back(host_of({{1000, 18}, {1000, 22}, {500, 10}, {500, 9}}));
  return all;
}

constexpr double kError = 0.001;

TEST(Outlier, AddsUpFlows) {
  FlowSums sums = host_of({{100, 10}, {0, 5}, {20, 30}});  // more events than trials, of a broken input
  EXPECT_EQ(sums.flows, 2);
  EXPECT_EQ(sums.trials, 120);
  EXPECT_EQ(sums.events, 30);
  EXPECT_EQ(sums.events_squared, 500);
  EXPECT_EQ(sums.events_squared_by_trials, 21);
  EXPECT_EQ(sums.events_by_trials, 1400);
  EXPECT_EQ(sums.trials_squared, 10400);
  EXPECT_EQ(sums.worst_trials, 20);
  EXPECT_EQ(sums.without_worst().events, 10);
  EXPECT_EQ(sums.without_worst().flows, 1);
}

TEST(Outlier, SaysHowManyTimesTheShareOfTheOthersItIs) {
  std::vector<FlowSums> hosts = alike(20);
  hosts[7] = host_of({{1000, 61}, {1000, 58}, {500, 29}, {500, 31}});
  const auto found = find_outlier(hosts, {}, kError);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->host, 7u);
  EXPECT_NEAR(found->others_share, 59.0 / 3000, 1e-12);
  EXPECT_GT(found->times_at_least, 2);
  EXPECT_LT(found->times_at_least, 3);
  EXPECT_EQ(found->divided_by, 1);
  EXPECT_FALSE(find_outlier(alike(20), {}, kError));
}

// The host does not raise what it is compared with, neither as a part of the others nor by its part in their
// dispersion.
TEST(Outlier, DoesNotHideBehindItself) {
  std::vector<FlowSums> hosts = alike(10);
  FlowSums large;
  for (int i = 0; i < 50; ++i) large.add_flow(20'000, 800 + i % 7);
  hosts.push_back(large);  // with nearly all trials
  const auto found = find_outlier(hosts, {}, kError);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->host, 10u);
  EXPECT_NEAR(found->others_share, 59.0 / 3000, 1e-12);
}

TEST(Outlier, OneFlowSaysNothingOfItsHost) {
  std::vector<FlowSums> hosts = alike(20);
  hosts[3] = host_of({{1000, 20}, {1000, 18}, {400, 300}});
  EXPECT_FALSE(find_outlier(hosts, {}, kError));
  hosts[3] = host_of({{400, 300}});
  EXPECT_EQ(examined(hosts), 19u);
  EXPECT_FALSE(find_outlier(hosts, {}, kError));
  hosts[3] = host_of({{400, 100}, {400, 120}, {400, 90}, {400, 110}});
  EXPECT_TRUE(find_outlier(hosts, {}, kError));
}

// Two bursts are the only losses: that both hit the same host is no wonder.
TEST(Outlier, FewBurstsSayNothing) {
  std::vector<FlowSums> hosts;
  for (int i = 0; i < 10; ++i) hosts.push_back(host_of({{100, 0}, {100, 0}, {100, 0}}));
  hosts[2] = host_of({{100, 10}, {100, 9}, {100, 0}});
  EXPECT_FALSE(find_outlier(hosts, {}, 0.05 / 10));
}

// Large hosts may differ from the others surely, and by next to nothing.
TEST(Outlier, WhatIsHardlyMoreIsNotWorthAWord) {
  std::vector<FlowSums> hosts;
  for (int i = 0; i < 20; ++i) hosts.push_back(host_of({{1e7, 1e5}, {1e7, 1e5 + 100}, {1e7, 1e5 - 100}}));
  hosts[4] = host_of({{1e7, 1.4e5}, {1e7, 1.4e5}, {1e7, 1.4e5}});
  EXPECT_FALSE(find_outlier(hosts, {}, kError));
  hosts[4] = host_of({{1e7, 1.6e5}, {1e7, 1.6e5}, {1e7, 1.6e5}});
  EXPECT_TRUE(find_outlier(hosts, {}, kError));
}

// Hosts that differ from each other by themselves make it harder to stand out.
TEST(Outlier, DispersionBetweenHostsCounts) {
  std::vector<FlowSums> hosts;
  for (int i = 0; i < 20; ++i) {
    const double events = 100 + 15 * (i % 10);
    hosts.push_back(host_of({{10'000, events}, {10'000, events}, {10'000, events}}));
  }
  hosts[4] = host_of({{10'000, 330}, {10'000, 330}, {10'000, 330}});
  EXPECT_FALSE(find_outlier(hosts, {}, kError));
  for (int i = 0; i < 20; ++i) {
    if (i != 4) hosts[static_cast<std::size_t>(i)] = host_of({{10'000, 165}, {10'000, 168}, {10'000, 165}});
  }
  EXPECT_TRUE(find_outlier(hosts, {}, kError));
}

TEST(Outlier, TakesThreeHostsAndTenTrials) {
  EXPECT_FALSE(find_outlier({}, {}, kError));
  std::vector<FlowSums> hosts = alike(1);
  EXPECT_FALSE(find_outlier(hosts, {}, kError));
  hosts.push_back(host_of({{1000, 200}, {1000, 200}, {1000, 200}}));
  EXPECT_FALSE(find_outlier(hosts, {}, kError));
  hosts.push_back(host_of({{5, 0}, {4, 0}}));
  EXPECT_EQ(examined(hosts), 2u);
  EXPECT_FALSE(find_outlier(hosts, {}, kError));
}

// Counters of hostile input, and shares of 0 and 1: an answer, and no endless loop.
TEST(Outlier, ExtremesHaveAnAnswer) {
  const double most = static_cast<double>(std::numeric_limits<std::uint64_t>::max());
  std::vector<FlowSums> hosts(50, host_of({{most, most}, {most, 0}, {most, 1}}));
  EXPECT_FALSE(find_outlier(hosts, {}, kError));
  hosts.push_back(host_of({{most, most}, {1, 1}}));
  (void)find_outlier(hosts, {}, 1e-12);
  EXPECT_FALSE(find_outlier(std::vector<FlowSums>(9, host_of({{50, 50}, {70, 70}})), {}, kError));
  EXPECT_FALSE(find_outlier(std::vector<FlowSums>(9, host_of({{50, 0}, {70, 0}})), {}, kError));
  std::vector<FlowSums> one_has_all(9);
  one_has_all[0] = host_of({{50, 5}, {70, 9}});
  EXPECT_FALSE(find_outlier(one_has_all, {}, kError));
}

TEST(Outlier, IsFoundWhereTheOthersHaveNone) {
  std::vector<FlowSums> hosts;
  for (int i = 0; i < 10; ++i) hosts.push_back(host_of({{1000, 0}, {1000, 0}, {1000, 0}}));
  FlowSums lossy;
  for (int i = 0; i < 30; ++i) lossy.add_flow(100, 3 + i % 3);
  hosts.push_back(lossy);
  const auto found = find_outlier(hosts, {}, kError);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->others_share, 0);
}

}  // namespace
}  // namespace warpmeter
