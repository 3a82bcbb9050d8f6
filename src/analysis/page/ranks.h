// By what hosts, pairs of hosts and server ports are listed on the page: the more, the further up; 0 is not listed.
#pragma once

#include <array>

#include "analysis/page/confidence.h"
#include "analysis/page/counts.h"

namespace warpmeter::inline analysis {

// Fewer are in no list of shares, however sure the share: one segment that nobody acknowledges, sent six times, is 5
// of 6.
inline constexpr std::uint64_t kFewestDataSegments = 10;

inline double by_retransmissions(const Counts& c) { return static_cast<double>(c.retransmitted_segments); }
inline double by_missing_bytes(const Counts& c) { return static_cast<double>(c.missing_bytes); }
inline double by_copies(const Counts& c) { return static_cast<double>(c.duplicate_packets); }
inline double by_zero_windows(const Counts& c) { return static_cast<double>(c.zero_windows); }

// The retransmitted share of the data segments, as large as it is at least: 27 of 89 go before 2 of 3.
inline double by_share(const Counts& c) {
  return c.data_segments < kFewestDataSegments ? 0 : at_least(c.retransmitted_segments, c.data_segments);
}

inline constexpr std::array kRanks = {by_retransmissions, by_share, by_missing_bytes, by_copies, by_zero_windows};

}  // namespace warpmeter::inline analysis
