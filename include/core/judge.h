// What a segment is to its flow (docs/definitions.md). Judging changes nothing; apply.h does what it says.
//
// Holes are kept outside the state, by whoever owns it. Here they are a `Holes` with
//   int64  missing(begin, end)   how many of [begin, end) are in holes
// which is called only for flows that have holes.
//
// Retransmitted, out of order, or new? The numbers that a flow has carried are a set: an interval from the lowest to
// the highest end, without the holes in it. A segment is an interval too, and everything follows from where the two
// lie:
//
//   above the highest end            new; what lies between becomes a hole
//   at the highest end               new, and in order: nearly every segment
//   within, all of it in holes       nothing was seen before: out of order, fills a hole
//   within, a byte outside holes     that byte was seen before: retransmitted
//   below the lowest                 not seen before: out of order; what lies between becomes a hole
//
// It is a set and not "the highest number so far", because that alone cannot tell a late segment from one sent again;
// nor a table of segments, because senders cut the same bytes differently when they send them again. The set is exact:
// holes are kept one by one, up to a million of a flow.
//
// Numbers are of 32 bits and wrap. They are unwrapped to 64 next to the highest end, to the nearer of the two numbers
// that they can stand for; from then on they are compared as ordinary numbers.
//
// Judging is apart from applying so that what a segment was can be handed on as a value, and so that a state that
// cannot take the segment (no room for holes on a device) is still the state before it.
#pragma once

#include <cstdint>

#include "core/flow_rules.h"
#include "core/flow_state.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"
#include "core/verdict.h"

namespace warpmeter {

// What the segment is whatever its flow: `first` stands for all that have numbers.
WARPMETER_HD inline Verdict::Kind kind_alone(const Segment& s, bool duplicate) {
  if (duplicate) return Verdict::Kind::duplicate;
  if (!is_tcp(s)) return Verdict::Kind::no_numbers;
  return s.flags & kRst ? Verdict::Kind::reset : Verdict::Kind::first;
}

WARPMETER_HD inline Verdict::Kind kind_by_place(const SequenceSpan& span, SpanPlace place, std::int64_t highest) {
  if (place == SpanPlace::above) return Verdict::Kind::ahead;
  // A SYN just below the highest end, whose payload is in order, is in order.
  const bool in_order = place == SpanPlace::next || (span.payload().size() > 0 && span.first_byte >= highest);
  return in_order ? Verdict::Kind::in_order : Verdict::Kind::behind;
}

// The first half of judging: what lies before the segment. A state that is not in use yet is opened by it.
template <class State>
WARPMETER_HD inline Verdict judge_boundary(const State& f, const Segment& s, bool duplicate, const Timeouts& timeouts) {
  Verdict v;
  v.boundary = f.bits & kInUse ? boundary_before(f, next_packet(s, duplicate), timeouts) : Boundary::opening;
  return v;
}

// Does a segment without SYN and RST that starts here not fit the flow? REQUIRES: kRangeKnown.
template <class State>
WARPMETER_HD inline bool is_suspicious(const State& f, std::int64_t start) {
  if (start > f.highest + kFarAhead || start <= f.highest - kFarBehind) return true;
  return f.bits & kIsn && start < f.lowest;  // the ISN; where that is far behind, so is all below it
}

// The unwrapped number of a segment with numbers; `kind`: of its SYN, if it has one. REQUIRES: kRangeKnown.
template <class State>
WARPMETER_HD inline std::int64_t start_of(const State& f, const Segment& s, SynKind kind) {
  // The flow's own SYN stands at its ISN, however far below the highest end, or below all that was seen.
  if (s.flags & kSyn && kind == SynKind::own) {
    return f.lowest - static_cast<std::int64_t>(on_wire(f.lowest) - s.sequence);
  }
  return unwrap(s.sequence, f.highest);
}

// Where the segment's numbers lie. False if there is no more to be said.
template <class State>
WARPMETER_HD inline bool judge_place(Verdict& v, const State& f, const Segment& s, bool duplicate) {
  v.kind = kind_alone(s, duplicate);
  if (v.kind != Verdict::Kind::first) return false;
  SynKind syn = SynKind::other;
  if (s.flags & kSyn && !opens_flow(v.boundary)) {
    syn = judge_syn(origin_of(f), next_packet(s, false), s.time_ns < f.start_ns);
  }
  if (syn == SynKind::second_answer) {
    v.kind = Verdict::Kind::second_answer;
    return false;
  }
  if (opens_flow(v.boundary) || !(f.bits & kRangeKnown)) {
    v.start = s.sequence;
    v.place = SpanPlace::first;
    return true;
  }
  v.start = start_of(f, s, syn);
  if (!(s.flags & kSyn) && is_suspicious(f, v.start)) {
    v.kind = Verdict::Kind::stray;
    return false;
  }
  v.place = place_of(v.span(s), f.lowest, f.highest);
  v.kind = kind_by_place(v.span(s), v.place, f.highest);
  return true;
}

// Payload that begins below the highest end: how much of it was seen before, and where.
template <class State, class Holes>
WARPMETER_HD inline void judge_overlap(Verdict& v, const State& f, const NumberRange& payload, const Holes& holes) {
  const NumberRange inner = payload.within(f.lowest, f.highest);
  v.kind = Verdict::Kind::out_of_order;
  if (inner.empty()) return;
  const std::int64_t missing = f.holes ? holes.missing(inner.begin, inner.end) : 0;
  if (missing == inner.size()) return;
  v.kind = Verdict::Kind::retransmitted;
  v.seen_before = static_cast<std::uint32_t>(inner.size() - missing);
  if (missing || inner.begin > payload.begin) {
    v.overlap = missing || inner.end < payload.end ? Verdict::Overlap::scattered : Verdict::Overlap::back;
  }
}

WARPMETER_HD inline bool is_keep_alive(const Segment& s, std::int64_t start, std::int64_t highest) {
  return s.payload_length <= 1 && !(s.flags & (kSyn | kFin)) && start == highest - 1;
}

// The second half under method exact: what the segment is to the numbers seen. `v`: the first half. The state is as it
// was then, or the flow or part that begins with the segment has begun: the same comes of it.
template <class State, class Holes>
WARPMETER_HD inline Verdict judge_numbers(Verdict v, const State& f, const Segment& s, bool duplicate,
                                          const Holes& holes) {
  if (!judge_place(v, f, s, duplicate) || v.place == SpanPlace::first) return v;
  const SequenceSpan span = v.span(s);
  if (s.payload_length > 0 && span.first_byte < f.highest) judge_overlap(v, f, span.payload(), holes);
  if (is_keep_alive(s, v.start, f.highest)) v.kind = Verdict::Kind::keep_alive;
  return v;
}

// Both halves, method exact.
template <class State, class Holes>
WARPMETER_HD inline Verdict judge(const State& f, const Segment& s, bool duplicate, const Timeouts& timeouts,
                                  const Holes& holes) {
  return judge_numbers(judge_boundary(f, s, duplicate, timeouts), f, s, duplicate, holes);
}

// The second half under method five-tuple, which knows nothing of what was seen: the segment table says whether the
// payload came `again`, be it a stray's.
template <class State>
WARPMETER_HD inline Verdict judge_by_table(Verdict v, const State& f, const Segment& s, bool duplicate, bool again) {
  const bool has_place = judge_place(v, f, s, duplicate);
  if (!again) return v;
  v.seen_before = s.payload_length;
  if (has_place) v.kind = Verdict::Kind::retransmitted;
  return v;
}

}  // namespace warpmeter
