// The fast form of judge() and apply() for many segments at once: what segments of one flow add up to, where nothing
// happens between them that depends on the flow's state: no timeout, no SYN, FIN or RST, and what the method asks of
// their sequence numbers (InOrderNumbers, NearNumbers). A single segment has a sum, the sums of neighbours combine into
// one, earlier first, and a sum that `fits` a flow state can be added to it at once, with the result of judging and
// applying its segments one after the other (tests/kernels/segment_sum_test.cc).
#pragma once

#include <cstdint>
#include <limits>

#include "core/flow_boundary.h"
#include "core/flow_state.h"
#include "core/options.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"

namespace warpmeter {

// The sequence numbers of several segments of one flow that can be taken together, one kind for each method. Each has
//   static of(segment, again)  of one segment that is no duplicate; again: what the segment table said
//   append(later)              takes in those of later segments; false if they cannot be taken together
//   fit(flow), add_to(flow, has payload)   REQUIRES: kRangeKnown, no candidate

// Of method exact: each segment begins where the one before it ended, so that nothing was seen before and nothing is
// missed. Whatever holes lie below stay as they are.
struct InOrderNumbers {
  static constexpr std::uint32_t kMostLength = std::uint32_t{1} << 31;

  std::uint32_t begin;
  std::uint32_t length;

  WARPMETER_HD static InOrderNumbers of(const Segment& s, bool) { return {s.sequence, s.payload_length}; }

  WARPMETER_HD bool append(const InOrderNumbers& later) {
    if (!follows(later.begin, begin, length) || later.length >= kMostLength - length) return false;
    length += later.length;
    return true;
  }
  WARPMETER_HD bool fit(const FlowState& f) const { return is_at(begin, f.highest); }
  WARPMETER_HD void add_to(FlowState& f, bool) const { f.highest += length; }
};

// Of method five-tuple: near to each other; their order does not matter, lowest and highest do.
struct NearNumbers {
  std::uint32_t base;  // a sequence number; lowest start and highest end are relative to it
  std::int32_t lowest;
  std::int32_t highest;
  std::uint32_t retransmitted_segments;
  std::uint64_t retransmitted_bytes;

  WARPMETER_HD static NearNumbers of(const Segment& s, bool again) {
    return {s.sequence, 0, static_cast<std::int32_t>(s.payload_length), again, again ? s.payload_length : 0};
  }

  WARPMETER_HD bool append(const NearNumbers& later) {
    const std::int32_t apart = sequence_distance(base, later.base);
    if (!is_near(apart)) return false;
    if (later.lowest + apart < lowest) lowest = later.lowest + apart;
    if (later.highest + apart > highest) highest = later.highest + apart;
    retransmitted_segments += later.retransmitted_segments;
    retransmitted_bytes += later.retransmitted_bytes;
    return is_near(lowest) && is_near(highest);
  }
  // None is a stray, whatever their order (stray.h): none starts far above the highest end as it is, nor below the ISN.
  WARPMETER_HD bool fit(const FlowState& f) const {
    const std::int32_t distance = sequence_distance(on_wire(f.highest), base);
    if (!is_near(distance) || distance + highest > kFarAhead) return false;
    return !(f.bits & kIsn) || f.highest + distance + lowest >= f.lowest;
  }
  WARPMETER_HD void add_to(FlowState& f, bool has_payload) const {
    if (has_payload) f.history |= kBytesSeen;
    const std::int64_t unwrapped = unwrap(base, f.highest);
    if (unwrapped + lowest < f.lowest) f.lowest = unwrapped + lowest;
    if (unwrapped + highest > f.highest) f.highest = unwrapped + highest;
    f.retransmitted_segments += retransmitted_segments;
    f.retransmitted_bytes += retransmitted_bytes;
  }
};

template <Method kMethod>
struct NumbersOfMethod {
  using Type = InOrderNumbers;
};
template <>
struct NumbersOfMethod<Method::five_tuple> {
  using Type = NearNumbers;
};
template <Method kMethod>
using NumbersOf = typename NumbersOfMethod<kMethod>::Type;

// `Numbers`: of the method.
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
