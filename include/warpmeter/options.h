// What a run of the Metering Process depends on. Plain values; times in nanoseconds, sizes in bytes.
#pragma once

#include <cstdint>

#include "warpmeter/flow_boundary.h"

namespace warpmeter {

// When a packet counts as the mirror port's copy of an earlier one (DEFINITIONS.md).
struct DuplicateOptions {
  std::uint64_t window = 1024;                // packet numbers
  std::int64_t gap_ns = 100'000'000;          // absolute
  std::int64_t gap_anonymous_ns = 1'000'000;  // IPv6 and IPv4 id 0
};

struct MeterOptions {
  Timeouts timeouts;
  DuplicateOptions duplicates;
  std::uint64_t flow_memory = 0;            // for flow states, their index and their holes, all shards together
  std::uint32_t full_counter = UINT32_MAX;  // packets at which a flow's counters are put aside; lower only in tests
};

}  // namespace warpmeter
