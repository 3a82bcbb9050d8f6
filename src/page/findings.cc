#include "page/findings.h"

#include <vector>

#include "page/confidence.h"
#include "page/ranks.h"

namespace warpmeter {
namespace {

constexpr double kMost = 0.5;
constexpr double kFew = 0.1;
constexpr std::uint64_t kFewestFlowsWithGaps = 10;  // fewer say nothing about the capture
constexpr double kSparse = 0.1;  // buckets with less than this part of the average number of flows do not count

double part(std::uint64_t of, std::uint64_t all) {
  return all ? static_cast<double>(of) / static_cast<double>(all) : 0;
}

}  // namespace

std::optional<CountedBy<HostKey>::Entry> standing_out(const ReportData& data) {
  const auto enough = [](const Counts& c) { return c.data_segments >= kFewestDataSegments; };
  const std::size_t hosts = data.hosts.count(enough);
  if (hosts == 0) return std::nullopt;
  const double z = sure_of_all(hosts);
  const auto surely = [&](const Counts& c) { return at_least(c.retransmitted_segments, c.data_segments, z); };
  const auto first = data.hosts.top(1, enough, surely).front();
  const Counts &all = data.totals, &its = first.second;
  if (its.retransmitted_segments == 0 || its.data_segments >= all.data_segments) return std::nullopt;
  const double of_others =
      part(all.retransmitted_segments - its.retransmitted_segments, all.data_segments - its.data_segments);
  if (surely(its) < kFarMore * of_others) return std::nullopt;
  return first;
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
  const std::vector<double> missing = data.over_time.values(kOverMissing);
  const std::vector<double> flows = data.over_time.values(kOverTellingFlows);
  const std::vector<double> with_gaps = data.over_time.values(kOverTellingFlowsWithGaps);
  const double average =
      static_cast<double>(data.over_time.total(kOverTellingFlows)) / static_cast<double>(flows.size());
  double in_bad_times = 0;
  std::size_t bad = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    if (flows[i] <= kSparse * average || with_gaps[i] < kManyFlows * flows[i]) continue;
    ++bad;
    in_bad_times += missing[i];
  }
  hint.missing_in_bad_times = in_bad_times / static_cast<double>(data.totals.missing_bytes);
  hint.bad_times = static_cast<double>(bad) / static_cast<double>(flows.size());
  const Counts& t = data.totals;
  if (t.flows_with_gaps >= kFewestFlowsWithGaps && hint.missing_in_bad_times >= kMost) hint.verdict = Loss::capture;
  else if (at_most(t.flows_with_gaps, t.flows_with_data) <= kFew) hint.verdict = Loss::path;
  else hint.verdict = Loss::unclear;
  return hint;
}

}  // namespace warpmeter
