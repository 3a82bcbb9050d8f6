// One flow metered by judge() and apply(), on the host or by one GPU thread: the same code, so the
// states must be equal to the bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/apply.h"
#include "core/holes.h"
#include "core/judge.h"
#include "core/stray.h"
#include "support/count_segment.h"

namespace warpmeter::test {

inline constexpr std::uint32_t kMostHoles = 256;
inline constexpr std::uint32_t kSegmentsPerFlow = 128;  // each adds at most one hole

struct MeteredFlow {
  FlowState state;
  StrayState stray;
  HoleArray array;
  Hole hole[kMostHoles];
};

// The holes of a MeteredFlow, as judge.h and apply.h want them.
struct ArrayHoles {
  MeteredFlow& flow;
  WARPMETER_HD std::int64_t missing(std::int64_t begin, std::int64_t end) const {
    return missing_between(flow.array, begin, end);
  }
  WARPMETER_HD std::int64_t total() const { return missing_in_all(flow.array); }
  WARPMETER_HD void clear() {
    flow.array.count = 0;
    note();
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
  flow.state.bits = 0;
  ArrayHoles holes{flow};
  for (std::uint32_t i = 0; i < count; ++i) {
    const Segment& segment = segments[i];
    const Verdict before = judge_boundary(flow.state, segment, false, timeouts);
    if (opens_flow(before.boundary)) {
      flow.array.count = 0;
      start_flow(flow.state, next_packet(segment, false), i + 1);
    } else if (before.boundary == Boundary::active) {
      start_part(flow.state, next_packet(segment, false), i + 1);
    }
    confirm_candidate(flow.state, segment, holes, flow.stray);
    const Verdict verdict = judge_numbers(before, flow.state, segment, false, holes);
    apply(flow.state, segment, verdict, holes);
    note_if_stray(flow.state, segment, verdict, flow.stray);
  }
}

// kSegmentsPerFlow segments a flow, one GPU thread each. Throws std::runtime_error on a CUDA error.
std::vector<MeteredFlow> meter_on_gpu(std::span<const Segment> segments, const Timeouts& timeouts);

}  // namespace warpmeter::test
