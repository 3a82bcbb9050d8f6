// What a verdict does to the state of the flow: counters, the range of numbers seen, its holes, SYN and FIN.
//
// Holes are kept outside the state, by whoever owns it. Here they are a `Holes` with
//   void   fill(begin, end)      [begin, end) was seen
//   void   add_highest(begin, end), add_lowest(begin, end)
// which are called only for flows that have holes or get one, and
//   int64  total()               how many numbers are in holes
//   void   clear()               there are none any more
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/flow_rules.h"
#include "core/flow_state.h"
#include "core/segment.h"
#include "core/verdict.h"

namespace warpmeter {

// Of method five-tuple, which keeps none.
struct NoHoles {
  WARPMETER_HD std::int64_t total() const { return 0; }
  WARPMETER_HD void clear() const {}
  WARPMETER_HD void fill(std::int64_t, std::int64_t) const {}
  WARPMETER_HD void add_highest(std::int64_t, std::int64_t) const {}
  WARPMETER_HD void add_lowest(std::int64_t, std::int64_t) const {}
};

// A payload byte or a FIN was seen.
template <class State, class Holes>
WARPMETER_HD inline void note_bytes(State& f, const Holes&) {
  if constexpr (std::is_same_v<Holes, NoHoles>) f.history |= kBytesSeen;
}

// Was nothing seen but the number of a SYN, if one is known? All between the lowest and the highest end was, but for
// the holes. REQUIRES: kRangeKnown.
template <class State, class Holes>
WARPMETER_HD inline bool is_only_syn(const State& f, const Holes& holes) {
  if constexpr (std::is_same_v<Holes, NoHoles>) return !(f.history & kBytesSeen);
  else return f.highest - f.lowest - holes.total() == (f.bits & kIsn ? 1 : 0);
}

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
  } else if (v.seen_before > 0) {
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
WARPMETER_HD inline void note_fin(State& f, std::int64_t number, std::int64_t time_ns) {
  if (!(f.bits & kFinKnown)) {
    f.fin = number;
    note_connection_time(f, time_ns);
    f.bits |= kFinKnown | kFinInPart;
  } else if (f.fin != number) {
    f.bits |= kOtherFin;
  }
}

// The SYN's number is the lowest from here on: what starts below it does not fit (is_suspicious()).
template <class State>
WARPMETER_HD inline void note_syn_and_fin(State& f, const Segment& s, const SequenceSpan& span) {
  if (s.flags & kSyn) {
    if (!(f.bits & kIsn)) note_connection_time(f, s.time_ns);
    f.bits |= kIsn;
    if (!(s.flags & kAck)) f.bits |= kSynAlone;
  }
  if (s.flags & kFin) note_fin(f, span.fin, s.time_ns);
}

// Nothing is known of the sequence numbers any more, as if the flow had been met midway.
template <class State, class Holes>
WARPMETER_HD inline void forget_numbers(State& f, Holes& holes) {
  holes.clear();
  constexpr std::uint16_t kForgotten = kRangeKnown | kIsn | kFinKnown | kOtherFin | kResetInReach | kCandidate;
  f.bits &= static_cast<std::uint16_t>(~kForgotten);
  f.history &= static_cast<std::uint8_t>(~kBytesSeen);
}

// A SYN+ACK: what it acknowledges tells further answers to the same SYN.
template <class State>
WARPMETER_HD inline void note_answer(State& f, const Segment& s) {
  if ((s.flags & (kSyn | kAck)) != (kSyn | kAck) || f.bits & kAnswered) return;
  f.answer = acknowledgement(s);
  f.bits |= kAnswered;
}

template <class State, class Holes>
WARPMETER_HD inline void apply_second_answer(State& f, Holes& holes) {
  f.bits |= kAmbiguous;
  if (!(f.bits & kRangeKnown) || is_only_syn(f, holes)) forget_numbers(f, holes);
}

// An RST touches no sequence number. One that a half-open connection of old drew ends nothing.
template <class State>
WARPMETER_HD inline void apply_reset(State& f, const Segment& s) {
  if (!(f.bits & kIsn)) return;
  const std::int64_t number = unwrap(s.sequence, f.highest);
  if (number > f.lowest && number <= f.highest) f.bits |= kResetInReach;
}

// The TCP part: the header's counters and the sequence state.
template <class State, class Holes>
WARPMETER_HD inline void apply_segment(State& f, const Segment& s, const Verdict& v, Holes& holes) {
  count_flags(f, s);
  if (v.kind == Verdict::Kind::reset) return apply_reset(f, s);
  count_payload(f, s);
  count_kind(f, v);
  if (v.kind == Verdict::Kind::stray) return;  // its owner notes it: note_stray()
  note_answer(f, s);
  if (v.kind == Verdict::Kind::second_answer) return apply_second_answer(f, holes);
  f.bits &= static_cast<std::uint16_t>(~kCandidate);
  if (s.payload_length > 0 || s.flags & kFin) note_bytes(f, holes);
  const SequenceSpan span = v.span(s);
  enter_numbers(f, span, v.place, holes);
  if (s.flags & (kSyn | kFin)) note_syn_and_fin(f, s, span);
}

// All that a segment does to its flow. REQUIRES: the state is the one judged; the owner has begun the flow or the part
// that the verdict says begins with it (start_flow(), start_part()); a candidate that the segment confirms was taken
// (take_candidate()) before the segment was judged; no counter is full. A stray is to be noted afterwards
// (note_stray()).
template <class State, class Holes>
WARPMETER_HD inline void apply(State& f, const Segment& s, const Verdict& v, Holes& holes) {
  count_packet(f, s);
  if (v.kind == Verdict::Kind::duplicate) count_duplicate(f, s);
  else if (v.kind != Verdict::Kind::no_numbers) apply_segment(f, s, v, holes);
}

}  // namespace warpmeter
