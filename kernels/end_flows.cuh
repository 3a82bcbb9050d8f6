// Kernels that end flows without a packet of theirs: those that are idle, to make room, and all of them when the input
// has ended.
#pragma once

#include "core/tile.h"
#include "flow_step.cuh"

namespace warpmeter {

// A thread a flow id, `begin` and those after it: lets flows go that are idle by the trace's time. Their ids are free
// when the flow table is rehashed; until then their keys still find them.
template <Method kMethod>
struct ExpireIdleFlows {
  FlowsRef flows;
  std::uint32_t begin;
  std::uint32_t* leaving;  // how many have a record so far
  std::uint32_t most;      // records that there is room for; the others stay until next time

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    FlowState& f = flows.state[begin + i];
    if (!(f.bits & kInUse) || *flows.sink.latest_ns - f.end_ns <= flows.timeouts.idle_ns) return;
    if (kMethod == Method::five_tuple && flows.is_remembered(f)) return;
    const FlowStep<kMethod> step{f, flows};
    if (!(f.bits & kOnCpu)) {
      if (fetch_add(leaving, 1) >= most) return;
      step.finish(EndReason::idle, Removal::expired, step.missing());
    }
    step.release_holes();
    f.bits = kReleased;
    fetch_add(&flows.room->released, 1);
  }
};

// A thread a flow id: ends the flow with the input.
template <Method kMethod>
struct DrainFlows {
  FlowsRef flows;
  std::uint32_t begin;
  std::int64_t trace_end_ns;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    FlowState& f = flows.state[begin + i];
    if (!(f.bits & kInUse) || (f.bits & kOnCpu)) return;
    const bool idle = flows.timeouts.idle_ns && trace_end_ns - f.end_ns > flows.timeouts.idle_ns;
    const FlowStep<kMethod> step{f, flows};
    step.finish(idle ? EndReason::idle : EndReason::forced, Removal::none, step.missing());
  }
};

}  // namespace warpmeter
