// Who retransmitted when: no host that is among the first of a part of the time is left out, and its numbers are right.
#include "analysis/page/host_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "support/report_flows.h"

namespace warpmeter::host_times_test {
namespace {

using test::kSecondNs;

struct Flow {
  std::uint32_t host;
  std::int64_t start_ns, end_ns;
  std::uint64_t data, retransmitted;
};

std::vector<Flow> random_flows(std::uint32_t hosts, int count) {
  std::mt19937_64 random(7);
  std::vector<Flow> flows;
  for (int i = 0; i < count; ++i) {
    const std::int64_t start = test::kNoon + static_cast<std::int64_t>(random() % 1800) * kSecondNs + 123'456'789;
    const std::int64_t lasts = random() % 3 ? static_cast<std::int64_t>(random() % (300 * kSecondNs)) : 0;
    const std::uint64_t data = 1 + random() % 50;
    flows.push_back({static_cast<std::uint32_t>(1 + random() % hosts), start, start + lasts, data,
                     random() % 2 ? random() % data : 0});
  }
  return flows;
}

HostTimes times_of(const std::vector<Flow>& flows, std::size_t most_cells = HostTimes::kMostCells) {
  HostTimes times(most_cells);
  for (const Flow& f : flows) times.add(f.host, f.start_ns, f.end_ns, f.data, f.retransmitted);
  return times;
}

std::vector<std::uint32_t> order_of(std::uint32_t hosts) {
  std::vector<std::uint32_t> order(hosts);
  std::iota(order.begin(), order.end(), 1u);
  return order;
}

// What a flow puts into the time from `from` to `to`: of its own, by its share of the time.
double within(const Flow& f, double value, double from, double to) {
  const auto start = static_cast<double>(f.start_ns), end = static_cast<double>(f.end_ns);
  if (f.end_ns == f.start_ns) return start >= from && start < to ? value : 0;
  return value * std::max(0.0, std::min(end, to) - std::max(start, from)) / (end - start);
}

double sum_of(const HostTimes::Row& row, const std::vector<std::uint64_t>& values, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (row.first + i >= from && row.first + i < to) sum += static_cast<double>(values[i]) / 100;
  }
  return sum;
}

TEST(HostTimes, HasEachHostThatIsFirstInAnyPart) {
  constexpr std::uint32_t kHosts = 60;
  constexpr std::size_t kRows = 4;
  const std::vector<Flow> flows = random_flows(kHosts, 2000);
  const HostTimes::Ranking ranking = times_of(flows).rank(order_of(kHosts), kRows, 100'000);
  ASSERT_GT(ranking.intervals, 20u);
  ASSERT_LT(ranking.hosts.size(), kHosts);  // some are never first
  const double width = static_cast<double>(ranking.width_ns);
  for (std::size_t from = 0; from < ranking.intervals; ++from) {
    for (std::size_t to = from + 1; to <= ranking.intervals; to += 1 + to / 7) {
      const double begin = ranking.first_ms * 1e6 + static_cast<double>(from) * width;
      const double end = ranking.first_ms * 1e6 + static_cast<double>(to) * width;
      std::vector<double> expected(kHosts + 1);
      for (const Flow& f : flows) expected[f.host] += within(f, static_cast<double>(f.retransmitted), begin, end);
      std::vector<double> known;
      for (const HostTimes::Row& row : ranking.hosts) {
        known.push_back(sum_of(row, row.retransmitted, from, to));
        ASSERT_NEAR(known.back(), expected[row.host], 0.02);
      }
      std::ranges::sort(known, std::greater());
      std::ranges::sort(expected, std::greater());
      for (std::size_t i = 0; i < kRows; ++i) ASSERT_NEAR(known[i], expected[i], 0.02) << from << " " << to;
    }
  }
}

TEST(HostTimes, AllTogetherAreWhatWasAdded) {
  const std::vector<Flow> flows = random_flows(30, 500);
  const HostTimes::Ranking ranking = times_of(flows).rank(order_of(30), 5, 100'000);
  double data = 0, retransmitted = 0;
  for (const Flow& f : flows) {
    data += static_cast<double>(f.data);
    retransmitted += static_cast<double>(f.retransmitted);
  }
  EXPECT_NEAR(sum_of(ranking.all, ranking.all.data_segments, 0, ranking.intervals), data, 0.01);
  EXPECT_NEAR(sum_of(ranking.all, ranking.all.retransmitted, 0, ranking.intervals), retransmitted, 0.01);
}

TEST(HostTimes, DoesNotDependOnTheOrderOfFlows) {
  std::vector<Flow> flows = random_flows(30, 500);
  const HostTimes::Ranking one = times_of(flows, 700).rank(order_of(30), 5, 100'000);
  std::ranges::reverse(flows);
  const HostTimes::Ranking other = times_of(flows, 700).rank(order_of(30), 5, 100'000);
  ASSERT_EQ(one.hosts.size(), other.hosts.size());
  EXPECT_EQ(one.width_ns, other.width_ns);
  for (std::size_t i = 0; i < one.hosts.size(); ++i) {
    EXPECT_EQ(one.hosts[i].host, other.hosts[i].host);
    EXPECT_NEAR(sum_of(one.hosts[i], one.hosts[i].retransmitted, 0, 96),
                sum_of(other.hosts[i], other.hosts[i].retransmitted, 0, 96), 0.011);
  }
}

TEST(HostTimes, IntervalsAreWiderWhereTheNumbersWouldBeTooMany) {
  const std::vector<Flow> flows = random_flows(400, 4000);
  const HostTimes times = times_of(flows);
  const HostTimes::Ranking fine = times.rank(order_of(400), 10, 100'000), coarse = times.rank(order_of(400), 10, 2000);
  const auto numbers = [](const HostTimes::Ranking& ranking) {
    std::size_t sum = 0;
    for (const HostTimes::Row& row : ranking.hosts) sum += row.retransmitted.size();
    return sum;
  };
  EXPECT_GT(numbers(fine), 2000u);
  EXPECT_LE(numbers(coarse), 2000u);
  EXPECT_GE(coarse.hosts.size(), 10u);
  EXPECT_LT(coarse.intervals, fine.intervals);
  const HostTimes::Ranking few_cells = times_of(flows, 3000).rank(order_of(400), 10, 100'000);
  EXPECT_LT(few_cells.intervals, fine.intervals);
}

TEST(HostTimes, TakesAnyTimesAndForgets) {
  constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  HostTimes times(100);
  times.add(1, kFirst, kFirst / 2, ~std::uint64_t{0}, 5);
  times.add(2, kFirst, std::numeric_limits<std::int64_t>::max(), 10, 5);
  times.add(3, 50, 20, 10, 7);                             // it ends before it starts
  EXPECT_LE(times.rank(order_of(3), 5, 1).intervals, 8u);  // no width is greater than its type
  times.forget(2);
  times.forget(99);
  std::size_t of_second = 0;
  for (const HostTimes::Row& row : times.rank(order_of(3), 5, 1000).hosts) of_second += row.host == 2;
  EXPECT_EQ(of_second, 0u);
  EXPECT_TRUE(HostTimes().rank({}, 5, 1000).hosts.empty());
}

}  // namespace
}  // namespace warpmeter::host_times_test
