// A TCP segment that is no duplicate, judged and applied to a flow that goes on, without what every packet counts.
#pragma once

#include "core/apply.h"
#include "core/judge.h"

namespace warpmeter::test {

template <class State, class Holes>
WARPMETER_HD void count_tcp_segment(State& f, const Segment& s, Holes& holes) {
  apply_segment(f, s, judge_numbers(Verdict{}, f, s, false, holes), holes);
}

template <class State>
void count_five_tuple_segment(State& f, const Segment& s, bool retransmitted) {
  NoHoles none;
  apply_segment(f, s, judge_by_table(Verdict{}, f, s, false, retransmitted), none);
}

}  // namespace warpmeter::test
