// Of each host the flows that have most of something, for those who want to see them: in bounded memory, and exact or
// not at all.
//
// There are lists for several measures. When all lists together have more than kMostFlows flows, those of the hosts
// that then have most of a measure stay, the others are put away for good: such a host has no list of that measure. A
// host that is among the first kHostsKept by a measure whenever that happens has its list, and it is exact. Which hosts
// these are depends on what was added, and in which order, alone. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/page/counts.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline analysis {

struct WorstFlow {
  FlowKey key;
  std::int64_t start_ns = 0, end_ns = 0;
  std::uint32_t absent = 0;  // as of a FlowRecord
  std::uint64_t packets = 0, bytes = 0, data_segments = 0, retransmitted_segments = 0, zero_windows = 0;
};

class WorstFlows {
 public:
  enum Measure : std::size_t { retransmitted, zero_windows, kMeasures };
  static constexpr std::size_t kMost = 20;  // of a host
  static constexpr std::size_t kMostFlows = std::size_t{1} << 18;
  static constexpr std::size_t kHostsKept = kMostFlows / 2 / kMost / kMeasures;

  explicit WorstFlows(std::size_t most_flows = kMostFlows) : most_flows_(most_flows) {}

  // REQUIRES: the counts are those of the record.
  void add(std::uint32_t host, const FlowRecord& record, const Counts& counts) {
    if (counts.retransmitted_segments == 0 && counts.zero_windows == 0) return;
    Host& of = hosts_[host];
    for (std::size_t m = 0; m < kMeasures; ++m) {
      const std::uint64_t value = value_of(counts, static_cast<Measure>(m));
      if (value > 0 && value >= of.least[m]) insert(of, static_cast<Measure>(m), record, counts);
    }
  }

  bool is_full() const { return flows_ > most_flows_; }
  // Of a measure, as many hosts as fit keep their lists: those with the largest `sums`, by number of the host.
  void keep_largest(Measure measure, std::vector<std::pair<std::uint64_t, std::uint32_t>> sums);
  // The host is no more; its number may be another one's from now on.
  void forget(std::uint32_t host);

  // Those with most first. Nothing: they were put away.
  std::optional<std::vector<WorstFlow>> of(std::uint32_t host, Measure measure) const;

  static std::uint64_t value_of(const Counts& counts, Measure measure) {
    return measure == retransmitted ? counts.retransmitted_segments : counts.zero_windows;
  }

 private:
  struct Host {
    std::array<std::vector<WorstFlow>, kMeasures> flows;  // heaps, the best of the worst on top
    std::array<std::uint64_t, kMeasures> least{};         // that one's value, if the list is full; kPutAway: has none
  };
  static constexpr std::uint64_t kPutAway = ~std::uint64_t{0};

  static std::uint64_t value_of(const WorstFlow& flow, Measure measure) {
    return measure == retransmitted ? flow.retransmitted_segments : flow.zero_windows;
  }
  // Is `a` worse than `b`? Total, so that lists do not depend on the order in which flows came.
  static bool is_worse(const WorstFlow& a, const WorstFlow& b, Measure measure) {
    const std::uint64_t of_a = value_of(a, measure), of_b = value_of(b, measure);
    if (of_a != of_b) return of_a > of_b;
    if (const int order = compare(a.key, b.key)) return order < 0;
    return std::tie(a.start_ns, a.end_ns) < std::tie(b.start_ns, b.end_ns);
  }
  void insert(Host& host, Measure measure, const FlowRecord& record, const Counts& counts);
  void put_away(Host& host, Measure measure);

  const std::size_t most_flows_;
  std::size_t flows_ = 0;                          // of all lists
  std::unordered_map<std::uint32_t, Host> hosts_;  // those that have or had flows with any
};

inline void WorstFlows::insert(Host& host, Measure measure, const FlowRecord& record, const Counts& counts) {
  if (host.least[measure] == kPutAway) return;
  const auto worse = [measure](const WorstFlow& a, const WorstFlow& b) { return is_worse(a, b, measure); };
  std::vector<WorstFlow>& flows = host.flows[measure];
  const WorstFlow flow = {.key = record.key,
                          .start_ns = record.start_ns,
                          .end_ns = record.end_ns,
                          .absent = record.absent,
                          .packets = counts.packets,
                          .bytes = counts.bytes,
                          .data_segments = counts.data_segments,
                          .retransmitted_segments = counts.retransmitted_segments,
                          .zero_windows = counts.zero_windows};
  if (flows.size() == kMost) {
    if (!worse(flow, flows.front())) return;
    std::ranges::pop_heap(flows, worse);
    flows.back() = flow;
  } else {
    flows.push_back(flow);
    ++flows_;
  }
  std::ranges::push_heap(flows, worse);
  if (flows.size() == kMost) host.least[measure] = value_of(flows.front(), measure);
}

inline void WorstFlows::put_away(Host& host, Measure measure) {
  flows_ -= host.flows[measure].size();
  host.flows[measure] = {};
  host.least[measure] = kPutAway;
}

inline void WorstFlows::keep_largest(Measure measure, std::vector<std::pair<std::uint64_t, std::uint32_t>> sums) {
  const std::size_t kept = most_flows_ / 2 / kMost / kMeasures;
  if (sums.size() <= kept) return;
  const auto first_away = sums.begin() + static_cast<std::ptrdiff_t>(kept);
  std::ranges::nth_element(sums, first_away, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (auto away = first_away; away != sums.end(); ++away) put_away(hosts_[away->second], measure);
}

inline void WorstFlows::forget(std::uint32_t host) {
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) return;
  for (const std::vector<WorstFlow>& flows : found->second.flows) flows_ -= flows.size();
  hosts_.erase(found);
}

inline std::optional<std::vector<WorstFlow>> WorstFlows::of(std::uint32_t host, Measure measure) const {
  const auto found = hosts_.find(host);
  if (found == hosts_.end()) return std::vector<WorstFlow>{};
  if (found->second.least[measure] == kPutAway) return std::nullopt;
  std::vector<WorstFlow> flows = found->second.flows[measure];
  std::ranges::sort(flows, [measure](const WorstFlow& a, const WorstFlow& b) { return is_worse(a, b, measure); });
  return flows;
}

}  // namespace warpmeter::inline analysis
