// Which host's share of something is above that of all other hosts together, surely: of data segments that were
// retransmitted, of packets that announced a closed window.
//
// The test, exact and conditional: if the host's share is that of all others, its part of all events is binomial, with
// its part of all trials as probability (J. Przyborowski, H. Wilenski: Homogeneity of Results in Testing Samples from
// Poisson Series. Biometrika 31 (1940), 313-323; for shares that are not small, it errs on the safe side). The exact
// bound (confidence.h) below its part of the events says how many times the others' share its own is at least. It
// allows for as many hosts as are examined (Bonferroni's correction). As losses come in bursts, and cluster in flows
// and hosts, counts are divided by their dispersion first: how many times the variance of independent segments they
// have. It is estimated without the host itself, so that this cannot hide behind it:
//
// * of flows about the share of all, as a line a + b n over their size n (bursts: a > 1; flows with a share of their
// own:
//   b > 0), by the method of moments;
// * of hosts about what that predicts, as a line again: what flows of one host have in common;
// * raised until none of the others would be improbable by itself, where their extremes lie farther out than the mean
// of the
//   squares says;
// * and at least what the host's own flows have about its own share.
//
// Last, what one flow shows is not its host's: all has to hold without the host's worst flow too. A host with a single
// flow is examined only where most hosts have one and losses hardly cluster in them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace warpmeter::inline analysis {

// Sums over flows. All of these are about independent trials (segments, packets) of which some were events. Numbers are
// doubles as squares of counters may be beyond 64 bits; counts below 2^53 are exact.
struct FlowSums {
  double flows = 0;  // those with trials
  double trials = 0;
  double events = 0;
  double events_squared_by_trials = 0;  // the sum of events^2 / trials, and so on
  double events_squared = 0;
  double events_by_trials = 0;  // events * trials
  double trials_squared = 0;
  double worst_trials = 0;  // of the flow with the largest events^2 / trials
  double worst_events = 0;

  // More events than trials, which only a broken input has, count as all of them. A flow without trials counts nothing.
  void add_flow(double its_trials, double its_events);
  void add(const FlowSums& other);
  void subtract(const FlowSums& part);  // the worst flow stays
  FlowSums without_worst() const;
  double share() const { return events / trials; }

  bool operator==(const FlowSums&) const = default;
};

// With less a host is not examined, nor are fewer hosts.
inline constexpr double kFewestTrials = 10;
inline constexpr std::size_t kFewestHosts = 3;
// How far above the share of the others a share has to be at least to be worth a word.
inline constexpr double kWorthAWord = 1.5;

struct Outlier {
  std::size_t host = 0;       // its place in what was given
  double others_share = 0;    // of all others together
  double times_at_least = 0;  // how many times that its share is, by the bound; above 1
  double divided_by = 1;      // the dispersion that counts were divided by
};

// How many of these are examined.
std::size_t examined(std::span<const FlowSums> hosts);

// The host that surely is above the others; of several, the one that lies farthest above what is to be expected. `rest`
// has those that are no longer known by name: of it, trials and events count. `error`: how probable each of the bounds
// may be wrong. REQUIRES: 0 < error < 1.
std::optional<Outlier> find_outlier(std::span<const FlowSums> hosts, const FlowSums& rest, double error);

}  // namespace warpmeter::inline analysis
