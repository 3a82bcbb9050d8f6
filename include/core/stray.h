// Strays: segments whose sequence numbers do not fit their flow, for they were injected, belong to an old connection,
// or have a bit error (docs/definitions.md, "Strays"). One such number, taken at its word, would make half of a
// connection out of order, or GiB of it missing.
//
// Nobody can tell a stray from the first segment behind a large gap, or of another number space, by itself. So its
// numbers are kept as the flow's only candidate. A segment that goes on where the candidate ended confirms it: the
// candidate is taken as if it had come in order, or, if it lies below the highest end, sequence state starts anew with
// it (a jump). Any other segment that fits drops it.
//
// Few flows have strays: what these need is a StrayState beside the flow state, kept by whoever owns that.
//
// Thresholds: 2^30 is the largest window (RFC 7323 section 2.3), so nothing that a receiver takes starts that far below
// the highest end; 2^26 is more than captures lose at once.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/apply.h"
#include "core/flow_state.h"
#include "core/judge.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"
#include "core/verdict.h"

namespace warpmeter {

// 48 bytes. Zeros: no stray so far.
struct StrayState {
  // The candidate's numbers, unwrapped; valid if the flow state has kCandidate. Its FIN is the last of them.
  std::int64_t begin;
  std::int64_t end;
  std::int64_t fin_ns;          // when the candidate's FIN came; valid if has_fin
  std::int64_t missing_before;  // missing bytes of the number spaces before a jump, in this incarnation
  std::uint64_t segments;       // strays of this part of the flow
  std::uint32_t has_fin;
  std::uint32_t unused;
};
static_assert(sizeof(StrayState) == 48 && std::is_trivially_copyable_v<StrayState>);

// Both say what holds before the segment; neither changes anything. REQUIRES: kCandidate.
WARPMETER_HD inline bool is_within_reach(std::uint32_t sequence, std::int64_t number) {
  const std::int64_t distance = sequence_distance(on_wire(number), sequence);
  return distance >= -kFarAhead && distance <= kFarAhead;
}

// Does the segment go on where the candidate ended, rather than at the highest end?
template <class State>
WARPMETER_HD bool confirms(const State& f, const Segment& s, bool duplicate, const StrayState& stray) {
  if (duplicate || !is_tcp(s) || s.flags & (kSyn | kRst) || !is_within_reach(s.sequence, stray.end)) return false;
  return is_suspicious(f, unwrap(s.sequence, f.highest)) || !is_within_reach(s.sequence, f.highest);
}

// Does a confirmed candidate belong to another number space?
template <class State>
WARPMETER_HD bool is_jump(const State& f, const StrayState& stray) {
  return stray.begin < f.highest;
}

// The stray becomes the flow's only candidate. `v`: the verdict on it.
template <class State>
WARPMETER_HD void note_stray(State& f, const Segment& s, const Verdict& v, StrayState& stray) {
  const SequenceSpan span = v.span(s);
  stray.begin = span.start;
  stray.end = span.end;
  stray.has_fin = (s.flags & kFin) != 0;
  stray.fin_ns = s.time_ns;
  ++stray.segments;
  f.bits |= kCandidate;
}

// Takes the candidate's numbers, which a segment has confirmed. True: that was a jump. REQUIRES: kCandidate; the part
// that begins with that segment, if one does, has begun.
template <class State, class Holes>
WARPMETER_HD bool take_candidate(State& f, StrayState& stray, Holes& holes) {
  const SequenceSpan span{stray.begin, stray.begin, stray.end - 1, stray.end};
  const bool jump = is_jump(f, stray);
  if (jump) {
    stray.missing_before += holes.total();
    forget_numbers(f, holes);
    f.history |= kJumped;
    enter_numbers(f, span, SpanPlace::first, holes);
  } else {
    enter_numbers(f, span, place_of(span, f.lowest, f.highest), holes);
  }
  if (stray.has_fin) note_fin(f, span.fin, stray.fin_ns);
  if (stray.end > stray.begin) note_bytes(f, holes);
  f.bits &= static_cast<std::uint16_t>(~kCandidate);
  return jump;
}

}  // namespace warpmeter
