// A TCP segment that is no duplicate, judged and applied to a flow that goes on, without what every packet counts.
#pragma once

#include "core/apply.h"
#include "core/judge.h"
#include "core/stray.h"

namespace warpmeter::test {

// Takes the candidate that the segment confirms.
template <class State, class Holes>
WARPMETER_HD void confirm_candidate(State& f, const Segment& s, Holes& holes, StrayState& stray) {
  if (f.bits & kCandidate && confirms(f, s, false, stray)) take_candidate(f, stray, holes);
}

// `stray` belongs to the flow.
template <class State>
WARPMETER_HD void note_if_stray(State& f, const Segment& s, const Verdict& v, StrayState& stray) {
  if (v.kind != Verdict::Kind::stray) return;
  if (!f.strays) stray = {};
  f.strays = 1;
  note_stray(f, s, v, stray);
}

template <class State, class Holes>
WARPMETER_HD void count_tcp_segment(State& f, const Segment& s, Holes& holes, StrayState& stray) {
  confirm_candidate(f, s, holes, stray);
  const Verdict v = judge_numbers(Verdict{}, f, s, false, holes);
  apply_segment(f, s, v, holes);
  note_if_stray(f, s, v, stray);
}

template <class State>
void count_five_tuple_segment(State& f, const Segment& s, bool retransmitted, StrayState& stray) {
  NoHoles none;
  confirm_candidate(f, s, none, stray);
  const Verdict v = judge_by_table(Verdict{}, f, s, false, retransmitted);
  apply_segment(f, s, v, none);
  note_if_stray(f, s, v, stray);
}

}  // namespace warpmeter::test
