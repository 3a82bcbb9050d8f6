// What the sums hint at. Judgements with thresholds, each said on the page together with its numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "page/report_data.h"

namespace warpmeter {

// The fewest keys that together make up `part` of all.
struct Concentration {
  std::size_t keys = 0;  // 0: even all that are known by name do not
  std::size_t of = 0;    // keys that have any
};

template <class Key, class Rank>
Concentration concentration(const CountedBy<Key>& counted, Rank rank, std::uint64_t all, double part) {
  const auto entries = counted.top(
      counted.size(), [&](const Counts& c) { return rank(c) > 0; }, rank);
  Concentration found{.of = entries.size()};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    sum += rank(entries[i].second);
    if (static_cast<double>(sum) >= part * static_cast<double>(all)) {
      found.keys = i + 1;
      break;
    }
  }
  return found;
}

// The host whose retransmitted share is surely the largest, if that is far more than what all the others have together:
// at least twice their share, even if one of so many hosts is to be expected to look bad by chance.
inline constexpr double kFarMore = 2;
std::optional<CountedBy<HostKey>::Entry> standing_out(const ReportData& data);

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
  capture,  // most of the missing bytes fall into times when many flows have gaps
  path,     // at most one flow in ten is concerned, with 95 % confidence
  unclear,
};
inline constexpr double kManyFlows = 0.25;  // of those long enough to tell
struct LossHint {
  Loss verdict = Loss::none;
  double missing_in_bad_times = 0;  // share of the missing bytes that falls into them, 0 to 1
  double bad_times = 0;             // share of the buckets
};
LossHint judge_loss(const ReportData& data);

}  // namespace warpmeter
