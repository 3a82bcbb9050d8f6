// One flow and one packet, in order: the way of the few segments that cannot be taken together with others, through the
// same functions as the CPU backend. It is made for one method (for_method).
#pragma once

#include <cstdint>
#include <type_traits>

#include "batch_view.cuh"
#include "core/apply.h"
#include "core/flow_rules.h"
#include "core/judge.h"
#include "core/options.h"
#include "core/partial_of_state.h"
#include "core/stray.h"
#include "device_holes.cuh"
#include "flows_ref.cuh"

namespace warpmeter {

template <Method kMethod>
struct FlowStep {
  FlowState& flow;
  const FlowsRef& flows;

  // False: there is no room for the flow's holes. The CPU has to take it over, as it was before this packet.
  WARPMETER_HD bool packet(const Segment& segment, std::uint64_t number, std::uint8_t mark) const {
    const Verdict before = judge_boundary(flow, segment, mark & kDuplicate, flows.timeouts);
    // Numbers are judged twice: a verdict that lives while a flow ends takes registers, 90 to 128 instead of 80, and
    // with them a block of a multiprocessor.
    if (!opens_flow(before.boundary) && !make_room_for(before, segment, mark)) return false;
    cross(before.boundary, next_packet(segment, mark & kDuplicate), number);
    if (is_confirmed_by(segment, mark)) take_candidate();
    apply(segment, judge(before, segment, mark));
    return true;
  }

  WARPMETER_HD void start(const NextPacket& first, std::uint64_t number) const {
    if (flow.bits & kReleased) fetch_add(&flows.room->released, UINT32_MAX);  // one less
    start_flow(flow, first, number);
  }

  WARPMETER_HD void cross(Boundary boundary, const NextPacket& next, std::uint64_t number) const {
    if (boundary == Boundary::none) {
      if (flow.packets >= flows.full_counter) spill_counters();
    } else if (boundary == Boundary::opening) {
      start(next, number);
    } else if (boundary == Boundary::active) {  // the sequence state goes on into the next part, holes included
      finish(end_reason_of(boundary), Removal::none, 0);
      if (flow.strays) stray().segments = 0;
      start_part(flow, next, arrival_behind(flow, number));
    } else {
      finish(end_reason_of(boundary), Removal::none, missing());
      release_holes();
      start_flow(flow, next, arrival_behind(flow, number));
    }
  }

  WARPMETER_HD void finish(EndReason reason, Removal removal, std::int64_t missing) const {
    flows.sink.add(
        flow.bits & kCountersSpilled ? DeviceOutput::Kind::partial_with_spilled : DeviceOutput::Kind::partial, flow,
        reason, removal, {missing, flow.strays ? stray().segments : 0});
    raise_to(flows.sink.latest_ns, flow.end_ns);
  }

  // The flow goes on on the CPU. What stays is a mark, and the holes until the host has its copy (HolePoolRef).
  WARPMETER_HD void hand_over() const {
    flows.sink.add(flow, flow.holes ? static_cast<std::uint8_t>(holes().block()->size_class) : std::uint8_t{0},
                   stray());
    flow.bits = kInUse | kOnCpu;
  }

  WARPMETER_HD void release_holes() const {
    if constexpr (kMethod == Method::exact) holes().release();
  }
  WARPMETER_HD std::int64_t missing() const {
    if constexpr (kMethod == Method::exact) return holes().total() + (flow.strays ? stray().missing_before : 0);
    else return 0;
  }

 private:
  WARPMETER_HD DeviceHoles holes() const { return {flows.holes, flow}; }
  WARPMETER_HD StrayState& stray() const { return flows.stray[&flow - flows.state]; }

  WARPMETER_HD Verdict judge(const Verdict& v, const Segment& segment, std::uint8_t mark) const {
    const bool duplicate = mark & kDuplicate;
    if constexpr (kMethod == Method::exact) {
      return judge_numbers(v, flow, segment, duplicate, holes());
    } else {
      return judge_by_table(v, flow, segment, duplicate, mark & kRetransmitted);
    }
  }

  // The candidate of a flow that goes on.
  WARPMETER_HD bool is_confirmed_by(const Segment& segment, std::uint8_t mark) const {
    return flow.bits & kCandidate && confirms(flow, segment, mark & kDuplicate, stray());
  }

  // A candidate may leave a hole, and the segment that confirms it another.
  WARPMETER_HD bool make_room_for(const Verdict& before, const Segment& segment, std::uint8_t mark) const {
    if constexpr (kMethod == Method::exact) {
      if (is_confirmed_by(segment, mark)) return holes().make_room_for_holes(2);
      return holes().make_room_for(segment, judge(before, segment, mark));
    } else {
      return true;
    }
  }

  WARPMETER_HD void take_candidate() const {
    bool jump;
    if constexpr (kMethod == Method::exact) {
      DeviceHoles flow_holes = holes();
      jump = warpmeter::take_candidate(flow, stray(), flow_holes);
    } else {
      NoHoles none;
      jump = warpmeter::take_candidate(flow, stray(), none);
    }
    if (jump) fetch_add(flows.jumps, 1);
  }

  WARPMETER_HD void apply(const Segment& segment, const Verdict& verdict) const {
    if constexpr (kMethod == Method::exact) {
      DeviceHoles flow_holes = holes();
      warpmeter::apply(flow, segment, verdict, flow_holes);
      flow_holes.settle();
    } else {
      NoHoles none;
      warpmeter::apply(flow, segment, verdict, none);
    }
    if (verdict.kind != Verdict::Kind::stray) return;
    if (!flow.strays) stray() = {};
    flow.strays = 1;
    note_stray(flow, segment, verdict, stray());
  }

  WARPMETER_HD void spill_counters() const {
    flows.sink.add(DeviceOutput::Kind::spilled_counters, flow, EndReason::forced, Removal::none, {});
    zero_counters(flow);
    flow.bits |= kCountersSpilled;
  }
};

// Calls `use` with the method as a std::integral_constant, for the kernels that are made for one.
template <class Use>
void for_method(Method method, const Use& use) {
  if (method == Method::exact) use(std::integral_constant<Method, Method::exact>());
  else use(std::integral_constant<Method, Method::five_tuple>());
}

}  // namespace warpmeter
