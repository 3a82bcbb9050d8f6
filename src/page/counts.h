// What the page adds up, of one flow or of many: of all flows, of a host, of a port.
//
// What a record's source did not know, or what does not apply, counts 0; coverage.h remembers that it was not known.
#pragma once

#include <cstdint>

#include "warpmeter/flow_record.h"

namespace warpmeter {

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
    flows_with_data += other.flows_with_data;
    flows_with_gaps += other.flows_with_gaps;
  }

  bool operator==(const Counts&) const = default;
};

// What `absent` of the record holds is 0.
Counts counts_of(const FlowRecord& record);

}  // namespace warpmeter
