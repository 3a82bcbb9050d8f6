// The state of one live flow and what a packet does to it (docs/definitions.md): small host + device functions, the one
// place where the counters are right or wrong. The backends differ only in how they bring segments here.
//
// A FlowState is 192 bytes, three cache lines; a CompactFlowState 160, for tables on the CPU. Nearly all packets touch
// the first half alone: key, life, sequence state and the counters that every packet has. Counters are narrower than in
// the Flow Record: before one can overflow, the meter puts them aside and begins again from 0. On the CPU that is every
// 65,535 packets or 4 GiB of a flow, where a device could not stop to do it.
//
// Holes are kept outside, by whoever owns the state; the functions take them as a `Holes` with
//   int64  missing(begin, end)   how many of [begin, end) are in holes
//   void   fill(begin, end)      [begin, end) was seen
//   void   add_highest(begin, end), add_lowest(begin, end)
//   int64  total()
// They are called only for flows that have holes or get one.
#pragma once

#include <cstdint>
#include <type_traits>

#include "warpmeter/flow_boundary.h"
#include "warpmeter/flow_key.h"
#include "warpmeter/partial.h"
#include "warpmeter/segment.h"
#include "warpmeter/sequence.h"

namespace warpmeter {

enum StateBits : std::uint16_t {
  kInUse = 1,
  kRangeKnown = 2,  // lowest and highest are valid
  kIsn = 4,         // isn is valid, and its time is in connection_ns
  kFinKnown = 8,    // fin is valid, and its time is in connection_ns
  kOtherFin = 16,   // a second FIN sequence number was seen
  kFinInPart = 32,  // the first FIN of the incarnation came since the last active timeout
  kHadFinOrRst = 64,
  kFirstOpening = 128,   // the first packet was a SYN without RST and no duplicate
  kCountersAside = 256,  // the owner keeps counters of this part that no longer fitted here
  kSynAlone = 2048,      // a SYN without ACK or RST was seen in this incarnation
  // On a device only:
  kOnCpu = 512,      // the CPU has taken the flow over: only key and end_ns are kept here
  kReleased = 1024,  // not in use: was let go, and its key may come again
};

template <class Count, class Bytes>
struct alignas(8 * sizeof(Bytes)) FlowStateOf {
  FlowKey key;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::int64_t highest;  // highest sequence end seen, unwrapped

  std::int64_t lowest;
  Bytes bytes;
  Bytes payload_bytes;
  Count packets;
  Count data_segments;
  std::uint32_t holes;  // the owner's handle; 0 = none
  std::uint16_t bits;   // StateBits
  std::uint8_t tcp_flags;
  std::uint8_t spare;

  // A compact state may begin in the middle of a cache line; what follows is then in its third one.
  Bytes retransmitted_bytes;
  Bytes duplicate_bytes;
  std::uint64_t arrival;  // number of the first packet; while free: next free state
  Count retransmitted_segments;
  Count duplicate_packets;
  Count out_of_order_segments;
  Count keep_alive_segments;
  Count syn_count;
  Count fin_count;
  Count rst_count;
  Count zero_window_count;
  std::int64_t isn;            // unwrapped
  std::int64_t fin;            // unwrapped number of the first FIN
  std::int64_t connection_ns;  // time of the first SYN or of the first FIN; once there are both, from one to the other
  std::int64_t first_ns;       // time of the first packet in trace order
};

using FlowState = FlowStateOf<std::uint32_t, std::uint64_t>;
static_assert(sizeof(FlowState) == 192 && std::is_trivially_copyable_v<FlowState>);

using CompactCount = std::uint16_t;
using CompactBytes = std::uint32_t;
using CompactFlowState = FlowStateOf<CompactCount, CompactBytes>;
static_assert(sizeof(CompactFlowState) == 160 && std::is_trivially_copyable_v<CompactFlowState>);

template <class Counter>
WARPMETER_HD void add_to(Counter& counter, std::uint64_t more) {
  counter = static_cast<Counter>(counter + more);
}

template <class State>
WARPMETER_HD Origin origin_of(const State& f) {
  return {static_cast<std::uint32_t>(f.isn), static_cast<std::uint32_t>(f.lowest), (f.bits & kIsn) != 0,
          (f.bits & kRangeKnown) != 0};
}

template <class State>
WARPMETER_HD Boundary boundary_before(const State& f, const NextPacket& next, const Timeouts& timeouts) {
  // Only an opening asks for the origin, which lies among what is seldom touched.
  return boundary_before(f.start_ns, f.end_ns, next.opening ? origin_of(f) : Origin{}, next, timeouts);
}

template <class State>
WARPMETER_HD void zero_counters(State& f) {
  f.bytes = f.payload_bytes = f.retransmitted_bytes = f.duplicate_bytes = 0;
  f.packets = f.data_segments = f.retransmitted_segments = f.duplicate_packets = 0;
  f.out_of_order_segments = f.keep_alive_segments = 0;
  f.syn_count = f.fin_count = f.rst_count = f.zero_window_count = 0;
  f.tcp_flags = 0;
}

// The state now describes a part that begins with packet `number` and has counted nothing yet; sequence state stays.
template <class State>
WARPMETER_HD void start_part(State& f, const NextPacket& first, std::uint64_t number) {
  f.start_ns = f.end_ns = f.first_ns = first.time_ns;
  f.arrival = number;
  zero_counters(f);
  f.bits &= static_cast<std::uint16_t>(~(kFinInPart | kFirstOpening | kCountersAside));
  if (first.opening) f.bits |= kFirstOpening;
}

// A new flow with fresh sequence state. The caller owns `key` and has no holes stored for it.
template <class State>
WARPMETER_HD void start_flow(State& f, const NextPacket& first, std::uint64_t number) {
  f.bits = kInUse;
  f.holes = 0;
  f.highest = f.lowest = f.isn = f.fin = f.connection_ns = 0;
  f.spare = 0;
  start_part(f, first, number);
}

// All of `from` but holes and counters, which begin at 0.
template <class State, class OtherState>
void take_over(State& f, const OtherState& from) {
  f.key = from.key;
  f.start_ns = from.start_ns;
  f.end_ns = from.end_ns;
  f.arrival = from.arrival;
  f.first_ns = from.first_ns;
  f.highest = from.highest;
  f.lowest = from.lowest;
  f.isn = from.isn;
  f.fin = from.fin;
  f.connection_ns = from.connection_ns;
  f.bits = from.bits;
  f.holes = 0;
  f.spare = 0;
  zero_counters(f);
}

// REQUIRES: all of them fit.
template <class State, class OtherState>
void take_over_counters(State& f, const OtherState& from) {
  add_to(f.bytes, from.bytes);
  add_to(f.payload_bytes, from.payload_bytes);
  add_to(f.retransmitted_bytes, from.retransmitted_bytes);
  add_to(f.duplicate_bytes, from.duplicate_bytes);
  add_to(f.packets, from.packets);
  add_to(f.data_segments, from.data_segments);
  add_to(f.retransmitted_segments, from.retransmitted_segments);
  add_to(f.duplicate_packets, from.duplicate_packets);
  add_to(f.out_of_order_segments, from.out_of_order_segments);
  add_to(f.keep_alive_segments, from.keep_alive_segments);
  add_to(f.syn_count, from.syn_count);
  add_to(f.fin_count, from.fin_count);
  add_to(f.rst_count, from.rst_count);
  add_to(f.zero_window_count, from.zero_window_count);
  f.tcp_flags |= from.tcp_flags;
}

template <class State>
WARPMETER_HD void count_packet(State& f, const Segment& s) {
  if (s.time_ns < f.start_ns) f.start_ns = s.time_ns;
  if (s.time_ns > f.end_ns) f.end_ns = s.time_ns;
  ++f.packets;
  add_to(f.bytes, s.length);
}

template <class State>
WARPMETER_HD void count_duplicate(State& f, const Segment& s) {
  ++f.duplicate_packets;
  add_to(f.duplicate_bytes, s.length);
}

// The numbers a segment carries: [start, end) in all, of which [first_byte, fin) payload, then perhaps a FIN at `fin`.
struct SequenceSpan {
  std::int64_t start, first_byte, fin, end;
};

template <class State>
WARPMETER_HD SequenceSpan span_of(const State& f, const Segment& s) {
  SequenceSpan span;
  span.start = f.bits & kRangeKnown ? unwrap(s.sequence, f.highest) : static_cast<std::int64_t>(s.sequence);
  span.first_byte = span.start + (s.flags & kSyn ? 1 : 0);
  span.fin = span.first_byte + s.payload_length;
  span.end = span.fin + (s.flags & kFin ? 1 : 0);
  return span;
}

// How many payload bytes of the segment were seen before.
template <class State, class Holes>
WARPMETER_HD std::int64_t seen_before(const State& f, const SequenceSpan& span, Holes& holes) {
  const std::int64_t begin = span.first_byte > f.lowest ? span.first_byte : f.lowest;
  const std::int64_t end = span.fin < f.highest ? span.fin : f.highest;
  if (begin >= end) return 0;
  return end - begin - (f.holes ? holes.missing(begin, end) : 0);
}

// Keep-alive, retransmitted, or out of order. REQUIRES: kRangeKnown.
template <class State, class Holes>
WARPMETER_HD void classify(State& f, const Segment& s, const SequenceSpan& span, Holes& holes) {
  if (s.payload_length <= 1 && !(s.flags & (kSyn | kFin)) && span.start == f.highest - 1) {
    ++f.keep_alive_segments;
  } else if (s.payload_length > 0 && span.first_byte < f.highest) {
    if (const std::int64_t again = seen_before(f, span, holes)) {
      ++f.retransmitted_segments;
      add_to(f.retransmitted_bytes, static_cast<std::uint64_t>(again));
    } else {
      ++f.out_of_order_segments;
    }
  }
}

// Enters the numbers of a segment into the seen ones. REQUIRES: kRangeKnown.
template <class State, class Holes>
WARPMETER_HD void mark_seen(State& f, const SequenceSpan& span, Holes& holes) {
  if (span.start == f.highest) {  // in order: nearly every segment
    f.highest = span.end;
    return;
  }
  if (span.start > f.highest) {
    holes.add_highest(f.highest, span.start);
  } else if (span.end < f.lowest) {
    holes.add_lowest(span.end, f.lowest);
  } else if (f.holes) {
    const std::int64_t begin = span.start > f.lowest ? span.start : f.lowest;
    const std::int64_t end = span.end < f.highest ? span.end : f.highest;
    if (begin < end) holes.fill(begin, end);
  }
  if (span.start < f.lowest) f.lowest = span.start;
  if (span.end > f.highest) f.highest = span.end;
}

// The first SYN's or the first FIN's time, whichever is not yet known.
template <class State>
WARPMETER_HD void note_connection_time(State& f, std::int64_t time_ns) {
  if (!(f.bits & (kIsn | kFinKnown))) {
    f.connection_ns = time_ns;
  } else {
    f.connection_ns = f.connection_ns < time_ns ? time_ns - f.connection_ns : f.connection_ns - time_ns;
  }
}

template <class State>
WARPMETER_HD void note_syn_and_fin(State& f, const Segment& s, const SequenceSpan& span) {
  if (s.flags & kSyn) {
    f.isn = span.start;
    if (!(f.bits & kIsn)) note_connection_time(f, s.time_ns);
    f.bits |= kIsn;
    if (!(s.flags & kAck)) f.bits |= kSynAlone;
  }
  if (s.flags & kFin) {
    if (!(f.bits & kFinKnown)) {
      f.fin = span.fin;
      note_connection_time(f, s.time_ns);
      f.bits |= kFinKnown | kFinInPart;
    } else if (f.fin != span.fin) {
      f.bits |= kOtherFin;
    }
  }
}

// Flags and sizes. False: a reset, which touches no sequence state.
template <class State>
WARPMETER_HD bool count_header(State& f, const Segment& s) {
  f.tcp_flags |= s.flags;
  if (s.flags & kSyn) ++f.syn_count;
  if (s.flags & kFin) ++f.fin_count;
  if (s.flags & kRst) ++f.rst_count;
  if (s.flags & (kFin | kRst)) f.bits |= kHadFinOrRst;
  if (s.flags & kRst) return false;
  if (s.window == 0) ++f.zero_window_count;
  add_to(f.data_segments, s.payload_length > 0);
  add_to(f.payload_bytes, s.payload_length);
  return true;
}

template <class State>
WARPMETER_HD void start_range(State& f, const SequenceSpan& span) {
  f.lowest = span.start;
  f.highest = span.end;
  f.bits |= kRangeKnown;
}

// All counters for a TCP segment that is no duplicate.
template <class State, class Holes>
WARPMETER_HD void count_tcp_segment(State& f, const Segment& s, Holes& holes) {
  if (!count_header(f, s)) return;
  const SequenceSpan span = span_of(f, s);
  if (f.bits & kRangeKnown) {
    classify(f, s, span, holes);
    mark_seen(f, span, holes);
  } else {
    start_range(f, span);
  }
  if (s.flags & (kSyn | kFin)) note_syn_and_fin(f, s, span);
}

// The same under method five-tuple, which keeps no holes. `retransmitted` is what the segment table said.
template <class State>
WARPMETER_HD void count_five_tuple_segment(State& f, const Segment& s, bool retransmitted) {
  if (!count_header(f, s)) return;
  const SequenceSpan span = span_of(f, s);
  if (retransmitted) {
    ++f.retransmitted_segments;
    add_to(f.retransmitted_bytes, s.payload_length);
  }
  if (f.bits & kRangeKnown) {
    if (span.start < f.lowest) f.lowest = span.start;
    if (span.end > f.highest) f.highest = span.end;
  } else {
    start_range(f, span);
  }
  if (s.flags & (kSyn | kFin)) note_syn_and_fin(f, s, span);
}

// connection_bytes and connection_ns, in the part in which the first FIN came, once that part has ended.
template <class State>
WARPMETER_HD void set_connection(FlowRecord& record, const State& f) {
  constexpr std::uint16_t kNeeded = kIsn | kFinKnown | kFinInPart;
  if ((f.bits & (kNeeded | kOtherFin)) != kNeeded || f.fin - f.isn - 1 < 0) return;
  record.connection_bytes = f.fin - f.isn - 1;
  record.connection_ns = f.connection_ns;
  record.flags |= kHasConnection;
}

// The partial of a flow (or part of it) that ends here. `missing` is 0 where the holes are handed on.
template <class State>
WARPMETER_HD Partial partial_of(const State& f, EndReason reason, LetGo let_go, std::int64_t missing) {
  Partial record;
  record.key = f.key;
  record.start_ns = f.start_ns;
  record.end_ns = f.end_ns;
  record.arrival = f.arrival;
  record.first_ns = f.first_ns;
  record.packets = f.packets;
  record.bytes = f.bytes;
  record.payload_bytes = f.payload_bytes;
  record.data_segments = f.data_segments;
  record.retransmitted_segments = f.retransmitted_segments;
  record.retransmitted_bytes = f.retransmitted_bytes;
  record.duplicate_packets = f.duplicate_packets;
  record.duplicate_bytes = f.duplicate_bytes;
  record.out_of_order_segments = f.out_of_order_segments;
  record.keep_alive_segments = f.keep_alive_segments;
  record.missing_bytes = static_cast<std::uint64_t>(missing);
  record.syn_count = f.syn_count;
  record.fin_count = f.fin_count;
  record.rst_count = f.rst_count;
  record.zero_window_count = f.zero_window_count;
  record.tcp_flags = f.tcp_flags;
  record.end_reason = with_closing(reason, f.bits & kHadFinOrRst);
  record.let_go = let_go;
  const Origin origin = origin_of(f);
  record.isn = origin.isn;
  record.lowest = origin.lowest;
  record.flags = f.bits & kSynAlone ? kOpener : 0;
  record.part = static_cast<std::uint8_t>((f.bits & kHadFinOrRst ? kClosing : 0) | (origin.isn_known ? kIsnKnown : 0) |
                                          (origin.lowest_known ? kLowestKnown : 0) |
                                          (f.bits & kFirstOpening ? kFirstIsOpening : 0));
  set_connection(record, f);
  return record;
}

}  // namespace warpmeter
