// What the sums hint at. Judgements with thresholds, each said on the page together with its numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "analysis/page/report_data.h"

namespace warpmeter::inline analysis {

// The fewest keys that together make up `part` of all.
struct Concentration {
  std::size_t keys = 0;  // 0: even all that are known by name do not
  std::size_t of = 0;    // keys that have any
  Counts sum = {};       // of the fewest
};

template <class Key, class Sums, class Rank>
Concentration concentration(const CountedBy<Key, Sums>& counted, Rank rank, std::uint64_t all, double part) {
  const auto entries = counted.top(
      counted.size(), [&](const Counts& c) { return rank(c) > 0; }, rank);
  Concentration found{.of = entries.size()};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    sum += rank(entries[i].second);
    found.sum.add(entries[i].second);
    if (static_cast<double>(sum) >= part * static_cast<double>(all)) {
      found.keys = i + 1;
      break;
    }
  }
  return found;
}

// Whether a host stands out by its share of something (outlier.h), among those with enough to be examined.
struct StandingOut {
  std::size_t examined = 0;  // hosts
  std::optional<HostKey> host;
  double events = 0, trials = 0;  // its own
  Outlier outlier;
};

// All that the page tests of hosts. Together they name a host that does not stand out with a probability of at most 5
// %, as far as the dispersion is what it seems: each of the two bounds of each test of each host has the same part of
// it.
struct HostTests {
  StandingOut retransmissions, closed_windows;
};
HostTests test_hosts(const ReportData& data);

// Where copies of packets come from.
enum class Copies : std::uint8_t {
  none,
  twice,      // most are of flows of which about every packet came twice: two mirrored ports, or one in both directions
  scattered,  // most are of flows of which at most one packet in ten came twice
  mixed,
};
Copies judge_copies(const ReportData& data);

// Where bytes were lost that no flow shows.
enum class Loss : std::uint8_t {
  none,
  capture,  // most of the missing bytes fall into times when many flows have gaps, surely
  path,     // at most one flow in ten is concerned, with 95 % confidence
  unclear,
};
inline constexpr double kManyFlows = 0.25;  // of those long enough to tell
struct LossHint {
  Loss verdict = Loss::none;
  double missing_in_bad_times = 0;  // share of the missing bytes that falls into them, 0 to 1
  double bad_times = 0;             // share of the time
  std::size_t intervals = 0;        // that were examined
};
LossHint judge_loss(const ReportData& data);

}  // namespace warpmeter::inline analysis
