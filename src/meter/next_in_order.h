// The short way through the meter, which most packets of most captures take: the next of a flow that lives, and of TCP
// the next in order. It does at once what count_packet() and count_tcp_segment() do to such a flow (flow_state.h); any
// other packet is theirs.
#pragma once

#include <cstdint>
#include <limits>

#include "warpmeter/flow_state.h"
#include "warpmeter/options.h"

namespace warpmeter {

// Could a counter of the state overflow with this packet? No sum of bytes is larger than that of IP lengths.
inline bool is_full(const CompactFlowState& f, const Segment& next, std::uint32_t full_counter) {
  return f.packets >= full_counter || f.bytes > std::numeric_limits<CompactBytes>::max() - next.length;
}

// A TCP segment that begins where the flow has come to and opens, closes and resets nothing.
inline bool continues(const CompactFlowState& f, const Segment& s) {
  return s.sequence == static_cast<std::uint32_t>(f.highest) && !(s.flags & (kSyn | kFin | kRst)) &&
         f.bits & kRangeKnown;
}

// Nothing of it needs more than the first half of the state. REQUIRES: the state is in use, and the segment's.
inline bool is_next_in_order(const CompactFlowState& f, const Segment& s, const Timeouts& timeouts,
                             std::uint32_t full_counter) {
  return (!is_tcp(s) || continues(f, s)) && s.time_ns >= f.start_ns && !is_full(f, s, full_counter) &&
         boundary_before(f.start_ns, f.end_ns, {}, {s.time_ns, s.sequence, false}, timeouts) == Boundary::none;
}

// REQUIRES: is_next_in_order(), and no duplicate.
inline void count_next_in_order(CompactFlowState& f, const Segment& s) {
  if (s.time_ns > f.end_ns) f.end_ns = s.time_ns;
  ++f.packets;
  f.bytes += s.length;
  if (!is_tcp(s)) return;
  f.highest += s.payload_length;
  f.payload_bytes += s.payload_length;
  add_to(f.data_segments, s.payload_length > 0);
  f.tcp_flags |= s.flags;
  if (s.window == 0) ++f.zero_window_count;
}

}  // namespace warpmeter
