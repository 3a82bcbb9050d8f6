// One flow and one packet, in order: the way of the few segments that cannot be taken together with others, through the
// same functions as the CPU backend.
#pragma once

#include <cstdint>

#include "batch_view.cuh"
#include "device_holes.cuh"
#include "flows_ref.cuh"
#include "warpmeter/flow_state.h"

namespace warpmeter {

template <Method kMethod>
struct FlowStep {
  FlowState& flow;
  const FlowsRef& flows;

  // False: there is no room for the flow's holes. The CPU has to take it over, as it was before this packet.
  WARPMETER_HD bool packet(const Segment& segment, std::uint64_t number, std::uint8_t mark) const {
    const bool duplicate = mark & kDuplicate;
    const NextPacket next{segment.time_ns, segment.sequence, !duplicate && is_opening(segment)};
    if (!(flow.bits & kInUse)) {
      start(next, number);
    } else {
      const Boundary boundary = boundary_before(flow, next, flows.timeouts);
      const bool keeps_holes = boundary == Boundary::none || boundary == Boundary::active;
      if (keeps_holes && !duplicate && is_tcp(segment) && !make_room_for(segment)) return false;
      cross(boundary, next, number);
    }
    count_packet(flow, segment);
    if (duplicate) count_duplicate(flow, segment);
    else if (is_tcp(segment)) count_segment(segment, mark);
    return true;
  }

  WARPMETER_HD void start(const NextPacket& first, std::uint64_t number) const {
    if (flow.bits & kReleased) fetch_add(&flows.room->released, UINT32_MAX);  // one less
    start_flow(flow, first, number);
  }

  WARPMETER_HD void cross(Boundary boundary, const NextPacket& next, std::uint64_t number) const {
    if (boundary == Boundary::none) {
      if (flow.packets >= flows.full_counter) spill_counters();
    } else if (boundary == Boundary::active) {  // the sequence state goes on into the next part, holes included
      finish(end_reason_of(boundary), LetGo::no, 0);
      start_part(flow, next, number);
    } else {
      finish(end_reason_of(boundary), LetGo::no, missing());
      release_holes();
      start_flow(flow, next, number);
    }
  }

  WARPMETER_HD void finish(EndReason reason, LetGo let_go, std::int64_t missing) const {
    flows.sink.add(flow.bits & kCountersAside ? Leaving::Kind::partial_with_spilled : Leaving::Kind::partial,
                   partial_of(flow, reason, let_go, missing));
    raise_to(flows.sink.latest_ns, flow.end_ns);
  }

  // The flow goes on on the CPU. What stays is a mark, and the holes until the host has its copy (HolePoolRef).
  WARPMETER_HD void hand_over() const {
    flows.sink.add(flow, flow.holes ? static_cast<std::uint8_t>(holes().block()->size_class) : std::uint8_t{0});
    flow.bits = kInUse | kOnCpu;
  }

  WARPMETER_HD void release_holes() const {
    if constexpr (kMethod == Method::exact) holes().release();
  }
  WARPMETER_HD std::int64_t missing() const {
    if constexpr (kMethod == Method::exact) return holes().total();
    else return 0;
  }

 private:
  WARPMETER_HD DeviceHoles holes() const { return {flows.holes, flow}; }

  WARPMETER_HD bool make_room_for(const Segment& segment) const {
    if constexpr (kMethod == Method::exact) return holes().make_room_for(segment);
    else return true;
  }

  WARPMETER_HD void count_segment(const Segment& segment, std::uint8_t mark) const {
    if constexpr (kMethod == Method::exact) {
      DeviceHoles flow_holes = holes();
      count_tcp_segment(flow, segment, flow_holes);
    } else {
      count_five_tuple_segment(flow, segment, mark & kRetransmitted);
    }
  }

  WARPMETER_HD void spill_counters() const {
    flows.sink.add(Leaving::Kind::spilled_counters, partial_of(flow, EndReason::forced, LetGo::no, 0));
    zero_counters(flow);
    flow.bits |= kCountersAside;
  }
};

}  // namespace warpmeter
