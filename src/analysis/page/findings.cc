#include "analysis/page/findings.h"

#include <algorithm>
#include <vector>

#include "analysis/page/confidence.h"

namespace warpmeter::inline analysis {
namespace {

constexpr double kWrong = 0.05;  // probability of a claim that does not hold, of all of a kind
constexpr double kMost = 0.5;
constexpr double kFew = 0.1;
constexpr std::uint64_t kFewestFlowsWithGaps = 10;  // fewer say nothing about the capture
constexpr double kFewestFlowsAtOnce = 10;           // in fewer, chance alone makes a quarter of one

double part(std::uint64_t of, std::uint64_t all) {
  return all ? static_cast<double>(of) / static_cast<double>(all) : 0;
}

// Neighbouring buckets that have enough flows together.
struct Interval {
  std::size_t buckets = 0;
  double flows = 0;  // long enough to tell
  double with_gaps = 0;
  double missing = 0;  // bytes
};

std::vector<Interval> telling_intervals(const TimeSeries& series) {
  const std::vector<double> missing = series.values(kOverMissing);
  const std::vector<double> flows = series.values(kOverTellingFlows);
  const std::vector<double> with_gaps = series.values(kOverTellingFlowsWithGaps);
  std::vector<Interval> intervals;
  Interval next;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    ++next.buckets;
    next.flows += flows[i] / static_cast<double>(kFlowUnit);
    next.with_gaps += with_gaps[i] / static_cast<double>(kFlowUnit);
    next.missing += missing[i];
    if (next.flows < kFewestFlowsAtOnce && i + 1 < flows.size()) continue;
    intervals.push_back(next);
    next = {};
  }
  return intervals;
}

}  // namespace

HostTests test_hosts(const ReportData& data) {
  // In one order, so that sums are the same whatever the order in the table.
  const auto hosts = data.hosts.top(
      data.hosts.size(), [](const Counts&) { return true; }, [](const Counts& c) { return c.packets; });
  const HostCounts& rest = data.hosts.others();
  const auto sums_of = [&](FlowSums HostCounts::*what) {
    std::vector<FlowSums> sums;
    for (const auto& entry : hosts) sums.push_back(entry.second.*what);
    return sums;
  };
  const std::vector<FlowSums> retransmissions = sums_of(&HostCounts::retransmissions);
  const std::vector<FlowSums> closed_windows = sums_of(&HostCounts::closed_windows);
  HostTests tests;
  tests.retransmissions.examined = examined(retransmissions);
  tests.closed_windows.examined = examined(closed_windows);
  // Those that were forgotten may have been as many hosts as flows.
  const double all = static_cast<double>(tests.retransmissions.examined + tests.closed_windows.examined) +
                     rest.retransmissions.flows + rest.closed_windows.flows;
  const double error = kWrong / std::max(1.0, all);
  const auto find = [&](StandingOut& test, const std::vector<FlowSums>& sums, const FlowSums& forgotten) {
    const auto found = find_outlier(sums, forgotten, error);
    if (!found) return;
    test.host = hosts[found->host].first;
    test.events = sums[found->host].events;
    test.trials = sums[found->host].trials;
    test.outlier = *found;
  };
  find(tests.retransmissions, retransmissions, rest.retransmissions);
  find(tests.closed_windows, closed_windows, rest.closed_windows);
  return tests;
}

Copies judge_copies(const ReportData& data) {
  const std::uint64_t all = data.totals.duplicate_packets;
  if (all == 0) return Copies::none;
  if (part(data.duplicate_shares[kTwiceBin].duplicate_packets, all) >= kMost) return Copies::twice;
  const std::uint64_t thin = data.duplicate_shares[0].duplicate_packets + data.duplicate_shares[1].duplicate_packets;
  return part(thin, all) >= kMost ? Copies::scattered : Copies::mixed;
}

LossHint judge_loss(const ReportData& data) {
  LossHint hint;
  if (data.totals.missing_bytes == 0) return hint;
  const std::vector<Interval> intervals = telling_intervals(data.over_time);
  Interval all;
  for (const Interval& interval : intervals) {
    all.buckets += interval.buckets;
    all.flows += interval.flows;
    all.with_gaps += interval.with_gaps;
  }
  std::size_t bad = 0;
  double in_bad_times = 0;
  for (const Interval& interval : intervals) {
    if (interval.with_gaps < kManyFlows * interval.flows) continue;
    // Chance alone makes some times worse than others: surely many, or surely more than at all other times.
    const double others = all.flows - interval.flows;
    const double usual = others > 0 ? (all.with_gaps - interval.with_gaps) / others : 1;
    const double error = kWrong / static_cast<double>(intervals.size());
    if (exactly_at_least(interval.with_gaps, interval.flows, error) <= std::min(usual, kManyFlows)) continue;
    bad += interval.buckets;
    in_bad_times += interval.missing;
  }
  hint.intervals = intervals.size();
  hint.missing_in_bad_times = std::min(1.0, in_bad_times / static_cast<double>(data.totals.missing_bytes));
  hint.bad_times = part(bad, all.buckets);
  const Counts& t = data.totals;
  if (t.flows_with_gaps >= kFewestFlowsWithGaps && hint.missing_in_bad_times >= kMost) hint.verdict = Loss::capture;
  else if (at_most(t.flows_with_gaps, t.flows_with_data) <= kFew) hint.verdict = Loss::path;
  else hint.verdict = Loss::unclear;
  return hint;
}

}  // namespace warpmeter::inline analysis
