// The flow states of a device, what leaves it, and the kernels that bring a batch to them, as the Engine does it; and
// the same by a plain loop, packet by packet, that knows nothing of the kernels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include "core/partial_of_state.h"
#include "end_flows.cuh"
#include "kernels/device_batch.h"
#include "kernels/flow_traffic.h"
#include "kernels/guarded_hole_pool.h"
#include "kernels/plain_holes.h"
#include "kernels/tiled_kernels.h"
#include "mark_segments.cuh"
#include "meter_flows.cuh"
#include "segment_table.cuh"
#include "support/count_segment.h"
#include "support/record_maker.h"

namespace warpmeter::test {

struct FlowOptions {
  Timeouts timeouts{1000, 4000};
  std::uint32_t full_counter = UINT32_MAX;
  Method method = Method::five_tuple;
  std::uint32_t block = 77;  // memory block; method five-tuple only
};

// Calls use with a std::integral_constant.
template <class Use>
void with_method(Method method, const Use& use) {
  if (method == Method::exact) use(std::integral_constant<Method, Method::exact>());
  else use(std::integral_constant<Method, Method::five_tuple>());
}

constexpr std::uint32_t kPlentyOfUnits = 1 << 14;

// Where flows live and what has come of them.
struct MeteredFlows {
  explicit MeteredFlows(std::uint32_t flows, std::uint32_t hole_units = kPlentyOfUnits)
      : state(flows), stray(flows), holes(flows), hole_memory(hole_units) {
    for (std::uint32_t flow = 0; flow < flows; ++flow) {
      std::memset(static_cast<void*>(&state[flow]), 0xa5, sizeof(FlowState));
      state[flow].key = numbered_key(flow);
      state[flow].bits = 0;
    }
  }

  FlowsRef ref(const LeavingSink& sink, const FlowOptions& options) {
    return {state.data(),
            &room,
            stray.data(),
            hole_memory.ref(),
            sink,
            options.timeouts,
            options.full_counter,
            options.block,
            &jumps,
            {overflow.data(), &overflowed}};
  }

  // In an order that does not depend on who was first.
  void sort_records() {
    const auto bytes_before = [](const Partial& a, const Partial& b) {
      const int order = arrival_order(a, b);
      return order ? order < 0 : std::memcmp(&a, &b, sizeof a) < 0;
    };
    for (auto* some : {&records, &records_with_spilled, &spilled}) std::sort(some->begin(), some->end(), bytes_before);
  }

  // What the blocks of the flows hold, for those to look at who compare.
  void read_blocks() {
    for (std::size_t flow = 0; flow < state.size(); ++flow) {
      const bool some = (state[flow].bits & kInUse) && state[flow].holes;
      holes[flow] = some ? hole_memory.holes_at(state[flow].holes - 1) : std::vector<Hole>();
    }
  }

  std::vector<FlowState> state;
  std::vector<StrayState> stray;              // by flow
  std::vector<std::vector<Hole>> holes;       // by flow
  std::vector<Partial> records;               // of flows that ended
  std::vector<Partial> records_with_spilled;  // those of them of which counters were spilled
  std::vector<Partial> spilled;
  std::vector<FlowState> handed_over;
  std::vector<std::uint8_t> hole_class;       // of these
  std::vector<StrayState> stray_handed_over;  // of these
  std::int64_t latest_ns = SegmentTableRef::kNoTime;
  std::uint32_t jumps = 0;
  FlowRoom room{};
  std::vector<OverflowSegment> overflow;  // of the latest batch, so many of them
  std::uint32_t overflowed = 0;
  HoleMemory hole_memory;
};

// A sink with room for just as many as a launch may make; they go to `flows` afterwards.
class SinkMemory {
 public:
  SinkMemory(MeteredFlows& flows, std::size_t most) : flows_(flows), leaving_(most) {}
  ~SinkMemory() {
    for (std::uint32_t i = 0; i < count_; ++i) take(leaving_[i]);
  }
  LeavingSink sink() { return {leaving_.data(), &count_, &flows_.latest_ns}; }

 private:
  void take(const DeviceOutput& one) {
    switch (one.kind) {
      case DeviceOutput::Kind::state:
        flows_.handed_over.push_back(one.state());
        flows_.hole_class.push_back(one.hole_class);
        flows_.stray_handed_over.push_back(one.state().strays ? one.stray() : StrayState{});
        break;
      case DeviceOutput::Kind::spilled_counters: flows_.spilled.push_back(one.partial); break;
      case DeviceOutput::Kind::partial_with_spilled:
        flows_.records_with_spilled.push_back(one.partial);
        [[fallthrough]];
      case DeviceOutput::Kind::partial: flows_.records.push_back(one.partial); break;
    }
  }

  MeteredFlows& flows_;
  std::vector<DeviceOutput> leaving_;
  std::uint32_t count_ = 0;
};

// The sorted order of a batch, and where its runs begin.
struct SortedBatch {
  template <class Device>
  SortedBatch(Device& device, const BatchView& view) {
    const std::uint32_t n = view.count;
    for (auto* column : {&flow, &position}) column->resize(n);
    std::vector<std::uint32_t> positions(n);
    std::iota(positions.begin(), positions.end(), 0u);
    std::uint32_t count = 0;
    run.resize(n);
    device.sort({view.flow, positions.data(), flow.data(), position.data()}, n, 32);
    device.launch(ListRuns{flow.data(), n, view.no_flow, run.data(), &count}, n);
    run.resize(count);
  }

  FlowRuns runs() const { return {flow.data(), position.data(), run.data()}; }

  std::vector<std::uint32_t> flow, position;
  std::vector<std::uint32_t> run;
};

// `wrapped(kernel)` is launched in place of the metering kernel. Returns the positions that it leaves to the CPU.
template <class Device, class Wrap = std::identity>
std::vector<std::uint32_t> meter_batch(Device& device, const std::vector<MarkedPacket>& batch,
                                       const FlowOptions& options, unsigned tile, std::uint32_t piece_size,
                                       MeteredFlows& flows, const Wrap& wrapped = {}) {
  std::vector<Packet> packets;
  for (const MarkedPacket& m : batch) packets.push_back(m.packet);
  DeviceBatch columns(packets, 0, packets.size(), 0, static_cast<std::uint32_t>(flows.state.size()));
  for (std::size_t i = 0; i < batch.size(); ++i) {
    columns.flow[i] = batch[i].flow;
    columns.mark[i] = batch[i].mark;
  }
  const BatchView view = columns.view();
  const SortedBatch sorted(device, view);
  flows.hole_memory.ref().recycle();
  flows.overflow.resize(view.count);
  flows.overflowed = 0;
  with_method(options.method, [&](auto method) {
    std::vector<SegmentSum<NumbersOf<method>>> piece(piece_size ? view.count / piece_size : 0);
    if (piece_size) {
      device.launch(SumPieces<method>{view, sorted.runs(), piece_size, piece.data()},
                    static_cast<std::uint32_t>(piece.size()), tile);
    }
    SinkMemory memory(flows, view.count);
    device.launch(
        wrapped(MeterFlows<method>{view, sorted.runs(), flows.ref(memory.sink(), options), piece.data(), piece_size}),
        static_cast<std::uint32_t>(sorted.run.size()), tile);
  });
  if (options.method == Method::exact) flows.read_blocks();
  std::vector<std::uint32_t> left;
  for (std::uint32_t i = 0; i < view.count; ++i) {
    if (columns.flow[i] == view.no_flow) left.push_back(i);
  }
  for (std::uint32_t k = 0; k < flows.overflowed; ++k) {
    const OverflowSegment& one = flows.overflow[k];
    EXPECT_EQ(one.is_duplicate(), (columns.mark[one.position()] & kDuplicate) != 0);
    left.push_back(one.position());
  }
  std::sort(left.begin(), left.end());
  return left;
}

// A packet of a flow, as docs/definitions.md has it.
class PlainStep {
 public:
  PlainStep(MeteredFlows& flows, const FlowOptions& options) : flows_(flows), options_(options) {}

  void packet(const MarkedPacket& m) {
    FlowState& f = flows_.state[m.flow];
    const Segment& s = m.packet.segment;
    const bool duplicate = m.mark & kDuplicate;
    go_on(m, next_packet(s, duplicate));
    count_packet(f, s);
    if (duplicate) {
      count_duplicate(f, s);
    } else if (is_tcp(s) && options_.method == Method::exact) {
      PlainHoles holes(f, flows_.holes[m.flow]);
      count_tcp_segment(f, s, holes, flows_.stray[m.flow]);
    } else if (is_tcp(s)) {
      count_five_tuple_segment(f, s, m.mark & kRetransmitted, flows_.stray[m.flow]);
    }
    if (options_.method == Method::five_tuple) f.block = options_.block;
    flows_.latest_ns = std::max(flows_.latest_ns, s.time_ns);
  }

 private:
  void go_on(const MarkedPacket& m, const NextPacket& next) {
    FlowState& f = flows_.state[m.flow];
    if (!(f.bits & kInUse)) return start_flow(f, next, m.packet.number);
    const Boundary boundary = boundary_before(f, next, options_.timeouts);
    if (boundary == Boundary::active) {
      finish(f, end_reason_of(boundary), 0);
      flows_.stray[m.flow].segments = 0;
      start_part(f, next, m.packet.number);
    } else if (boundary != Boundary::none) {
      std::vector<Hole>& holes = flows_.holes[m.flow];
      const std::int64_t before = f.strays ? flows_.stray[m.flow].missing_before : 0;
      finish(f, end_reason_of(boundary), PlainHoles(f, holes).total() + before);
      holes.clear();
      start_flow(f, next, m.packet.number);
    } else if (f.packets >= options_.full_counter) {
      flows_.spilled.push_back(partial_of(f, EndReason::forced, Removal::none, {}));
      zero_counters(f);
      f.bits |= kCountersSpilled;
    }
  }

  void finish(const FlowState& f, EndReason reason, std::int64_t missing) {
    const std::uint64_t strays = f.strays ? flows_.stray[&f - flows_.state.data()].segments : 0;
    flows_.records.push_back(partial_of(f, reason, Removal::none, {missing, strays}));
    if (f.bits & kCountersSpilled) flows_.records_with_spilled.push_back(flows_.records.back());
  }

  MeteredFlows& flows_;
  const FlowOptions& options_;
};

inline void meter_batch_plainly(const std::vector<MarkedPacket>& batch, const FlowOptions& options,
                                MeteredFlows& flows) {
  for (const MarkedPacket& m : batch) {
    if (m.flow < flows.state.size()) PlainStep(flows, options).packet(m);
  }
}

inline testing::AssertionResult same_leaving(const MeteredFlows& expected, const MeteredFlows& got) {
  if (auto same = same_records(expected.records, got.records); !same) return same;
  if (auto same = same_records(expected.records_with_spilled, got.records_with_spilled); !same) return same;
  return same_records(expected.spilled, got.spilled);
}

// But for where holes lie.
inline bool same_state(FlowState a, FlowState b, Method method) {
  if (method == Method::exact) {
    a.holes = a.holes != 0;
    b.holes = b.holes != 0;
  }
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// The end of the input. The flows stay as they are.
template <class Device>
void drain_flows(Device& device, MeteredFlows& flows, std::uint32_t begin, std::uint32_t end, std::int64_t trace_end_ns,
                 const FlowOptions& options) {
  SinkMemory memory(flows, end - begin);
  with_method(options.method, [&](auto method) {
    device.launch(DrainFlows<method>{flows.ref(memory.sink(), options), begin, trace_end_ns}, end - begin);
  });
}

}  // namespace warpmeter::test
