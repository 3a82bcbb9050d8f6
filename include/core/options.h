// What a run of the Metering Process depends on. Plain values; times in nanoseconds, sizes in bytes.
#pragma once

#include <cstdint>

#include "core/flow_boundary.h"
#include "warpmeter/hd.h"
#include "warpmeter/method.h"

namespace warpmeter {

// When a packet counts as the mirror port's copy of an earlier one (docs/definitions.md).
struct DuplicateOptions {
  std::uint64_t window = 1024;                // packet numbers
  std::int64_t gap_ns = 100'000'000;          // absolute
  std::int64_t gap_anonymous_ns = 1'000'000;  // IPv6 and IPv4 id 0
};

// Twice as many slots of a segment table still have 32-bit numbers.
inline constexpr std::uint64_t kLargestBlock = std::uint64_t{1} << 30;

// docs/definitions.md, "Method five-tuple".
struct FiveTupleOptions {
  std::uint64_t block = 0;  // packet numbers in a memory block, at most kLargestBlock; 0 = to be
                            // chosen by what memory there is
  std::int64_t gap_ns = 0;  // how long after the original; 0 = any time
};

// Memory blocks are counted from 0.
WARPMETER_HD inline std::uint64_t block_of(std::uint64_t packet_number, std::uint64_t block) {
  return (packet_number - 1) / block;
}

struct MeterOptions {
  Timeouts timeouts;
  DuplicateOptions duplicates;
  Method method = Method::exact;
  FiveTupleOptions five_tuple;
  std::uint64_t flow_memory = 0;  // for flow states, their index and their holes, all shards together
};

// Of the flow memory, what is for holes, of all shards together; the rest is for states and index.
inline constexpr std::uint64_t kHoleShare = 16;

}  // namespace warpmeter
