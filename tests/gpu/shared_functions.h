// One flow metered by the functions of warpmeter/flow_state.h, on the host or by one GPU thread: the same code, so the
// states must be equal to the bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "warpmeter/flow_state.h"
#include "warpmeter/holes.h"

namespace warpmeter::test {

inline constexpr std::uint32_t kMostHoles = 256;
inline constexpr std::uint32_t kSegmentsPerFlow = 128;  // each adds at most one hole

struct MeteredFlow {
  FlowState state;
  HoleArray array;
  Hole hole[kMostHoles];
};

// The holes of a MeteredFlow, as flow_state.h wants them.
struct ArrayHoles {
  MeteredFlow& flow;
  WARPMETER_HD std::int64_t missing(std::int64_t begin, std::int64_t end) const {
    return missing_between(flow.array, begin, end);
  }
  WARPMETER_HD void fill(std::int64_t begin, std::int64_t end) {
    fill_holes(flow.array, begin, end);
    note();
  }
  WARPMETER_HD void add_highest(std::int64_t begin, std::int64_t end) {
    add_highest_hole(flow.array, begin, end);
    note();
  }
  WARPMETER_HD void add_lowest(std::int64_t begin, std::int64_t end) {
    add_lowest_hole(flow.array, begin, end);
    note();
  }
  WARPMETER_HD void note() { flow.state.holes = flow.array.count ? 1 : 0; }
};

WARPMETER_HD inline void meter_flow(MeteredFlow& flow, const Segment* segments, std::uint32_t count,
                                    const Timeouts& timeouts) {
  flow.array = {flow.hole, 0, kMostHoles};
  start_flow(flow.state, {segments[0].time_ns, segments[0].sequence, is_opening(segments[0])}, 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Segment& segment = segments[i];
    const NextPacket next{segment.time_ns, segment.sequence, is_opening(segment)};
    if (i && boundary_before(flow.state, next, timeouts) != Boundary::none) {
      flow.array.count = 0;
      start_flow(flow.state, next, i + 1);
    }
    count_packet(flow.state, segment);
    ArrayHoles holes{flow};
    count_tcp_segment(flow.state, segment, holes);
  }
}

// kSegmentsPerFlow segments a flow, one GPU thread each. Throws std::runtime_error on a CUDA error.
std::vector<MeteredFlow> meter_on_gpu(std::span<const Segment> segments, const Timeouts& timeouts);

}  // namespace warpmeter::test
