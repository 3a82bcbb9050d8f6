// What joining segments to super-packets would save, as `coalesce --dry-run --stats` counted it, and its section.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace warpmeter::inline analysis {

struct CoalescingSavings {
  struct Row {
    std::uint64_t threshold = 0;          // bytes
    std::uint64_t timeout_intervals = 0;  // after so many times the average interval without a packet
    std::uint64_t packets = 0;            // that are left, super-packets among them
    std::uint64_t super_packets = 0, joined = 0;
    std::uint64_t saved_bytes = 0;  // of headers

    std::uint64_t saved() const { return joined - std::min(super_packets, joined); }  // packets
    std::uint64_t all() const { return packets + saved(); }

    bool operator==(const Row&) const = default;
  };
  std::vector<Row> rows;  // by threshold, then timeout; empty: nobody counted it
};

// Empty if nobody counted it.
std::string coalescing_section(const CoalescingSavings& savings);

// For its chart: thresholds, timeouts, and for each timeout what is saved by each threshold.
nlohmann::ordered_json coalescing_chart(const CoalescingSavings& savings);

}  // namespace warpmeter::inline analysis
