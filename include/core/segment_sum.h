// The fast form of judge() and apply() for many segments at once: what segments of one flow add up to, where nothing
// happens between them that depends on the flow's state: no timeout, no SYN, FIN or RST, and what the method asks of
// their sequence numbers (summed_numbers.h). A single segment has a sum, the sums of neighbours combine into one,
// earlier first, and a sum that `fits` a flow state can be added to it at once, with the result of judging and applying
// its segments one after the other (tests/kernels/segment_sum_test.cc).
#pragma once

#include <cstdint>
#include <limits>

#include "core/flow_boundary.h"
#include "core/flow_state.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"
#include "core/summed_numbers.h"

namespace warpmeter {

template <class Numbers>
struct SegmentSum {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  std::uint64_t bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t duplicate_bytes = 0;
  std::uint32_t packets = 0;
  std::uint32_t data_segments = 0;
  std::uint32_t duplicate_packets = 0;
  std::uint32_t zero_window_count = 0;
  Numbers numbers{};  // of the TCP segments that are no duplicates
  std::uint8_t tcp_flags = 0;
  bool tcp = false;             // there are such
  bool plain = true;            // they can be taken together
  std::uint8_t unused[5] = {};  // sums are copied as a whole, and no byte of them is undefined
};

// `again`: what the segment table said, under method five-tuple.
template <class Numbers>
WARPMETER_HD SegmentSum<Numbers> sum_of_segment(const Segment& s, bool duplicate, bool again) {
  SegmentSum<Numbers> sum;
  sum.first_ns = sum.last_ns = s.time_ns;
  sum.packets = 1;
  sum.bytes = s.length;
  if (duplicate) {
    sum.duplicate_packets = 1;
    sum.duplicate_bytes = s.length;
  } else if (is_tcp(s)) {
    sum.tcp = true;
    sum.plain = !(s.flags & (kSyn | kFin | kRst)) && s.payload_length < kNearNumbers;
    sum.numbers = Numbers::of(s, again);
    sum.tcp_flags = s.flags;
    sum.zero_window_count = s.window == 0;
    sum.data_segments = s.payload_length > 0;
    sum.payload_bytes = s.payload_length;
  }
  return sum;
}

// `a` came before `b`.
template <class Numbers>
WARPMETER_HD SegmentSum<Numbers> combine(SegmentSum<Numbers> a, const SegmentSum<Numbers>& b) {
  a.plain = a.plain && b.plain;
  if (a.plain && b.tcp) {
    if (a.tcp) a.plain = a.numbers.append(b.numbers);
    else a.numbers = b.numbers;
    a.tcp = true;
  }
  if (b.first_ns < a.first_ns) a.first_ns = b.first_ns;
  if (b.last_ns > a.last_ns) a.last_ns = b.last_ns;
  a.bytes += b.bytes;
  a.payload_bytes += b.payload_bytes;
  a.duplicate_bytes += b.duplicate_bytes;
  a.packets += b.packets;
  a.data_segments += b.data_segments;
  a.duplicate_packets += b.duplicate_packets;
  a.zero_window_count += b.zero_window_count;
  a.tcp_flags |= b.tcp_flags;
  return a;
}

// Can the sum be added to this state as a whole?
template <class Numbers>
WARPMETER_HD bool fits(const FlowState& f, const SegmentSum<Numbers>& sum, const Timeouts& timeouts,
                       std::uint32_t full_counter) {
  if (!sum.plain || !(f.bits & kInUse) || std::uint64_t{f.packets} + sum.packets > full_counter) return false;
  if (sum.first_ns < f.start_ns) return false;
  if (boundary_before(f.start_ns, f.end_ns, {}, {sum.last_ns, 0, false}, timeouts) != Boundary::none) return false;
  return !sum.tcp || ((f.bits & (kRangeKnown | kCandidate)) == kRangeKnown && sum.numbers.fit(f));
}

// REQUIRES: fits().
template <class Numbers>
WARPMETER_HD void add_sum(FlowState& f, const SegmentSum<Numbers>& sum) {
  if (sum.last_ns > f.end_ns) f.end_ns = sum.last_ns;
  f.packets += sum.packets;
  f.bytes += sum.bytes;
  f.duplicate_packets += sum.duplicate_packets;
  f.duplicate_bytes += sum.duplicate_bytes;
  if (!sum.tcp) return;
  f.data_segments += sum.data_segments;
  f.payload_bytes += sum.payload_bytes;
  f.zero_window_count += sum.zero_window_count;
  f.tcp_flags |= sum.tcp_flags;
  sum.numbers.add_to(f, sum.data_segments > 0);
}

}  // namespace warpmeter
