// The counters of one direction of one connection, in the order of the CSV columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace traffic_gen {

enum Counter : size_t {
  kPackets,
  kBytes,
  kPayloadBytes,
  kDataSegments,
  kRetransmittedSegments,
  kRetransmittedBytes,
  kDuplicatePackets,
  kDuplicateBytes,
  kOutOfOrderSegments,
  kKeepAliveSegments,
  kMissingBytes,
  kSynCount,
  kFinCount,
  kRstCount,
  kZeroWindowCount,
  kCounterCount
};

constexpr const char* kCounterNames[] = {"packets",
                                         "bytes",
                                         "payload_bytes",
                                         "data_segments",
                                         "retransmitted_segments",
                                         "retransmitted_bytes",
                                         "duplicate_packets",
                                         "duplicate_bytes",
                                         "out_of_order_segments",
                                         "keep_alive_segments",
                                         "missing_bytes",
                                         "syn_count",
                                         "fin_count",
                                         "rst_count",
                                         "zero_window_count"};
static_assert(sizeof kCounterNames / sizeof *kCounterNames == kCounterCount);

// Counters a packet without a TCP header has too.
constexpr bool counts_any_protocol(size_t counter) {
  return counter == kPackets || counter == kBytes || counter == kDuplicatePackets || counter == kDuplicateBytes;
}

using Counters = std::array<uint64_t, kCounterCount>;

}  // namespace traffic_gen
