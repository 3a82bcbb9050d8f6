// The list of what is counted of a direction of a TCP stream: members, sums and outputs follow from it, in its order.
#pragma once

#include <cstdint>

// COUNTER(name), each a std::uint64_t:
//   segments               TCP segments
//   data_segments          of these with payload, and without RST
//   submitted_bytes        in blocks
//   repeated_segments      with nothing new
//   repeated_bytes         that were there before
//   conflicting_bytes      of the repeated ones, those that differ from what still waits
//   late_bytes             whose place was given up before
//   cut_bytes              of payload that was not captured
//   out_of_order_segments  new bytes only, which start below the highest end
//   gap_bytes              given up
// clang-format off
#define WARPMETER_STREAM_COUNTERS(COUNTER)                                                              \
  COUNTER(segments) COUNTER(data_segments) COUNTER(submitted_bytes) COUNTER(repeated_segments)          \
  COUNTER(repeated_bytes) COUNTER(conflicting_bytes) COUNTER(late_bytes) COUNTER(cut_bytes)             \
  COUNTER(out_of_order_segments) COUNTER(gap_bytes)
// clang-format on

namespace warpmeter {

struct StreamCounters {
#define WARPMETER_ONE(name) std::uint64_t name = 0;
  WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE

  void add(const StreamCounters& other) {
#define WARPMETER_ONE(name) name += other.name;
    WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE
  }
  friend bool operator==(const StreamCounters&, const StreamCounters&) = default;
};

}  // namespace warpmeter
