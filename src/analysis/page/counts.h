// What the page adds up, of one flow or of many: of all flows, of a host, of a port; and by which of these numbers
// hosts are listed.
//
// What a record's source did not know, or what does not apply, counts 0; Coverage (report_data.h) remembers that it was
// not known.
#pragma once

#include <array>
#include <cstdint>

#include "analysis/page/confidence.h"
#include "analysis/page/outlier.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline analysis {

struct Counts {
  std::uint64_t flows = 0;
  std::uint64_t packets = 0;
  std::uint64_t bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t data_segments = 0;
  std::uint64_t retransmitted_segments = 0;
  std::uint64_t duplicate_packets = 0;
  std::uint64_t missing_bytes = 0;
  std::uint64_t zero_windows = 0;
  std::uint64_t stray_segments = 0;
  std::uint64_t flows_with_data = 0;  // that had data segments
  std::uint64_t flows_with_gaps = 0;  // of these: with missing bytes

  void add(const Counts& other) {
    flows += other.flows;
    packets += other.packets;
    bytes += other.bytes;
    payload_bytes += other.payload_bytes;
    data_segments += other.data_segments;
    retransmitted_segments += other.retransmitted_segments;
    duplicate_packets += other.duplicate_packets;
    missing_bytes += other.missing_bytes;
    zero_windows += other.zero_windows;
    stray_segments += other.stray_segments;
    flows_with_data += other.flows_with_data;
    flows_with_gaps += other.flows_with_gaps;
  }

  bool operator==(const Counts&) const = default;
};

// What `absent` of the record holds is 0.
Counts counts_of(const FlowRecord& record);

// What is added up of a host: with what it takes to say whether it stands out. Of flows, those count whose record has
// both numbers.
struct HostCounts : Counts {
  FlowSums retransmissions;  // of data segments
  FlowSums closed_windows;   // of packets of TCP
  std::uint32_t number = 0;  // of the host, from 1: under which more is kept of it (report_data.h); 0: it has none yet

  void add(const HostCounts& other) {
    Counts::add(other);
    retransmissions.add(other.retransmissions);
    closed_windows.add(other.closed_windows);
  }

  bool operator==(const HostCounts&) const = default;
};

// REQUIRES: `counts` are those of the record.
HostCounts host_counts_of(const FlowRecord& record, const Counts& counts);

// By what hosts, pairs of hosts and server ports are listed on the page: the more, the further up; 0 is not listed.
// With fewer data segments they are in no list of shares, however sure the share: one segment that nobody acknowledges,
// sent six times, is 5 of 6.
inline constexpr std::uint64_t kFewestDataSegments = 10;

inline double by_retransmissions(const Counts& c) { return static_cast<double>(c.retransmitted_segments); }
inline double by_missing_bytes(const Counts& c) { return static_cast<double>(c.missing_bytes); }
inline double by_copies(const Counts& c) { return static_cast<double>(c.duplicate_packets); }
inline double by_zero_windows(const Counts& c) { return static_cast<double>(c.zero_windows); }

// The retransmitted share of the data segments, as large as it is at least: 27 of 89 go before 2 of 3.
inline double by_share(const Counts& c) {
  return c.data_segments < kFewestDataSegments ? 0 : at_least(c.retransmitted_segments, c.data_segments);
}

inline double by_traffic(const Counts& c) { return static_cast<double>(c.bytes); }

inline constexpr std::array kRanks = {by_retransmissions, by_share,        by_missing_bytes,
                                      by_copies,          by_zero_windows, by_traffic};

}  // namespace warpmeter::inline analysis
