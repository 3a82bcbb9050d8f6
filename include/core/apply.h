// What a verdict does to the state of the flow: counters, the range of numbers seen, its holes, SYN and FIN.
//
// Holes are kept outside the state, by whoever owns it. Here they are a `Holes` with
//   void   fill(begin, end)      [begin, end) was seen
//   void   add_highest(begin, end), add_lowest(begin, end)
// They are called only for flows that have holes or get one.
#pragma once

#include <cstdint>

#include "core/flow_rules.h"
#include "core/flow_state.h"
#include "core/segment.h"
#include "core/verdict.h"

namespace warpmeter {

// Of method five-tuple, which keeps none.
struct NoHoles {
  WARPMETER_HD void fill(std::int64_t, std::int64_t) const {}
  WARPMETER_HD void add_highest(std::int64_t, std::int64_t) const {}
  WARPMETER_HD void add_lowest(std::int64_t, std::int64_t) const {}
};

// Flags, of resets too.
template <class State>
WARPMETER_HD inline void count_flags(State& f, const Segment& s) {
  f.tcp_flags |= s.flags;
  if (s.flags & kSyn) ++f.syn_count;
  if (s.flags & kFin) ++f.fin_count;
  if (s.flags & kRst) ++f.rst_count;
  if (s.flags & (kFin | kRst)) f.bits |= kHadFinOrRst;
}

// REQUIRES: no reset.
template <class State>
WARPMETER_HD inline void count_payload(State& f, const Segment& s) {
  if (s.window == 0) ++f.zero_window_count;
  add_to(f.data_segments, s.payload_length > 0);
  add_to(f.payload_bytes, s.payload_length);
}

template <class State>
WARPMETER_HD inline void count_kind(State& f, const Verdict& v) {
  if (v.kind == Verdict::Kind::keep_alive) {
    ++f.keep_alive_segments;
  } else if (v.kind == Verdict::Kind::retransmitted) {
    ++f.retransmitted_segments;
    add_to(f.retransmitted_bytes, v.seen_before);
  } else if (v.kind == Verdict::Kind::out_of_order) {
    ++f.out_of_order_segments;
  }
}

// Enters the numbers of a segment into the seen ones.
template <class State, class Holes>
WARPMETER_HD inline void enter_numbers(State& f, const SequenceSpan& span, SpanPlace place, Holes& holes) {
  if (place == SpanPlace::next) {  // nearly every segment
    f.highest = span.end;
    return;
  }
  if (place == SpanPlace::first) {
    f.lowest = span.start;
    f.highest = span.end;
    f.bits |= kRangeKnown;
    return;
  }
  if (place == SpanPlace::above) {
    holes.add_highest(f.highest, span.start);
  } else if (place == SpanPlace::below) {
    holes.add_lowest(span.end, f.lowest);
  } else if (f.holes) {
    const NumberRange inner = span.all().within(f.lowest, f.highest);
    if (!inner.empty()) holes.fill(inner.begin, inner.end);
  }
  if (span.start < f.lowest) f.lowest = span.start;
  if (span.end > f.highest) f.highest = span.end;
}

// The first SYN's or the first FIN's time, whichever is not yet known.
template <class State>
WARPMETER_HD inline void note_connection_time(State& f, std::int64_t time_ns) {
  if (!(f.bits & (kIsn | kFinKnown))) {
    f.mark_ns = time_ns;
  } else {
    f.connection_ns = f.mark_ns < time_ns ? time_ns - f.mark_ns : f.mark_ns - time_ns;
  }
}

template <class State>
WARPMETER_HD inline void note_syn_and_fin(State& f, const Segment& s, const SequenceSpan& span) {
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

// The TCP part: the header's counters and the sequence state.
template <class State, class Holes>
WARPMETER_HD inline void apply_segment(State& f, const Segment& s, const Verdict& v, Holes& holes) {
  count_flags(f, s);
  if (v.kind == Verdict::Kind::reset) return;
  count_payload(f, s);
  count_kind(f, v);
  const SequenceSpan span = v.span(s);
  enter_numbers(f, span, v.place, holes);
  if (s.flags & (kSyn | kFin)) note_syn_and_fin(f, s, span);
}

// All that a segment does to its flow. REQUIRES: the state is the one judged; the owner has begun the flow or the part
// that the verdict says begins with it (start_flow(), start_part()); no counter is full.
template <class State, class Holes>
WARPMETER_HD inline void apply(State& f, const Segment& s, const Verdict& v, Holes& holes) {
  count_packet(f, s);
  if (v.kind == Verdict::Kind::duplicate) count_duplicate(f, s);
  else if (v.kind != Verdict::Kind::no_numbers) apply_segment(f, s, v, holes);
}

}  // namespace warpmeter
