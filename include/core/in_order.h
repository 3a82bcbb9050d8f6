// The fast form of judge() and apply() for most packets of most captures: the next of a flow that goes on, and of TCP
// the next in order. What is_in_order() takes, apply_in_order() does as they do (tests/include/in_order_test.cc); any
// other packet is theirs.
#pragma once

#include <cstdint>

#include "core/flow_rules.h"
#include "core/flow_state.h"
#include "core/options.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"
#include "core/verdict.h"

namespace warpmeter {

// A TCP segment that begins where the flow has come to and opens, closes and resets nothing. (It would drop a
// candidate.)
template <class State>
WARPMETER_HD inline bool continues(const State& f, const Segment& s) {
  return is_at(s.sequence, f.highest) && !(s.flags & (kSyn | kFin | kRst)) &&
         (f.bits & (kRangeKnown | kCandidate)) == kRangeKnown;
}

// Nothing of it needs more than the first half of the state. REQUIRES: the state is in use, and the segment's; method
// exact; no duplicate.
template <class State>
WARPMETER_HD inline bool is_in_order(const State& f, const Segment& s, const Timeouts& timeouts,
                                     std::uint32_t full_counter) {
  return (!is_tcp(s) || continues(f, s)) && s.time_ns >= f.start_ns && !is_full(f, s, full_counter) &&
         boundary_before(f.start_ns, f.end_ns, {}, {s.time_ns, s.sequence, false}, timeouts) == Boundary::none;
}

// REQUIRES: is_in_order().
template <class State>
WARPMETER_HD inline Verdict apply_in_order(State& f, const Segment& s) {
  Verdict v;
  if (s.time_ns > f.end_ns) f.end_ns = s.time_ns;
  ++f.packets;
  add_to(f.bytes, s.length);
  if (!is_tcp(s)) return v;
  v.kind = Verdict::Kind::in_order;
  v.place = SpanPlace::next;
  v.start = f.highest;
  f.highest += s.payload_length;
  add_to(f.payload_bytes, s.payload_length);
  add_to(f.data_segments, s.payload_length > 0);
  f.tcp_flags |= s.flags;
  if (s.window == 0) ++f.zero_window_count;
  return v;
}

}  // namespace warpmeter
