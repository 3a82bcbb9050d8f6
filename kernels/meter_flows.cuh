// Kernels of the flow part: the segments of a batch, sorted by flow, are brought to the states of their flows.
//
// A tile takes the run of one flow's segments, as many at once as it has lanes. Where nothing can happen between them
// that depends on their order (no timeout, no SYN, FIN or RST, no wrap: nearly always), their counters are summed by
// the lanes together; else one lane takes them one after the other, through the same functions as the CPU backend.
#pragma once

#include "batch_view.cuh"
#include "record_sink.cuh"
#include "reduce.cuh"
#include "warpmeter/flow_state.h"
#include "warpmeter/options.h"

namespace warpmeter {

// A thread a segment: marks those that the device cannot meter.
struct SelectOverflow {
  BatchView batch;
  std::uint8_t* chosen;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    chosen[i] = batch.flow[i] == batch.no_flow;
  }
};

// A thread a segment: what is to be sorted by flow.
struct ListFlows {
  BatchView batch;
  std::uint32_t* flow;
  std::uint32_t* position;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    flow[i] = batch.flow[i];
    position[i] = i;
  }
};

// A thread an element of the sorted flow ids: marks where the run of a flow begins.
struct FindRuns {
  const std::uint32_t* flow;  // sorted
  std::uint32_t no_flow;
  std::uint8_t* begins;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t s) const {
    begins[s] = flow[s] != no_flow && (s == 0 || flow[s - 1] != flow[s]);
  }
};

// One flow and one packet, in order.
struct FlowStep {
  FlowState& flow;
  const RecordSink& sink;
  const Timeouts& timeouts;
  std::uint32_t full_counter;

  WARPMETER_HD void packet(const Segment& segment, std::uint64_t number, std::uint8_t mark) const {
    const bool duplicate = mark & kDuplicate;
    const NextPacket next{segment.time_ns, segment.sequence, !duplicate && is_opening(segment)};
    if (flow.bits & kInUse) cross_boundary(next, number);
    else start_flow(flow, next, number);
    count_packet(flow, segment);
    if (duplicate) count_duplicate(flow, segment);
    else if (is_tcp(segment)) count_five_tuple_segment(flow, segment, mark & kRetransmitted);
  }

  WARPMETER_HD void cross_boundary(const NextPacket& next, std::uint64_t number) const {
    const Boundary boundary = boundary_before(flow, next, timeouts);
    if (boundary == Boundary::none) {
      if (flow.packets >= full_counter) put_counters_aside();
      return;
    }
    hand_over(end_reason_of(boundary));
    if (boundary == Boundary::active) start_part(flow, next, number);
    else start_flow(flow, next, number);
  }

  WARPMETER_HD void hand_over(EndReason reason) const {
    auto* record = new (sink.place()) FlowRecord(record_of(flow, reason, LetGo::no, 0));
    if (flow.bits & kCountersAside) record->flags |= kHasAside;
    raise_to(sink.latest_ns, flow.end_ns);
  }

  WARPMETER_HD void put_counters_aside() const {
    auto* record = new (sink.place()) FlowRecord(record_of(flow, EndReason::forced, LetGo::no, 0));
    record->flags |= kIsAside;
    zero_counters(flow);
    flow.bits |= kCountersAside;
  }
};

// A tile a run. Method five-tuple.
struct MeterFlows {
  // So near to the highest sequence end, unwrapping gives the same in any order.
  static constexpr std::int32_t kNear = 1 << 29;

  BatchView batch;
  const std::uint32_t* flow;      // sorted flow ids
  const std::uint32_t* position;  // of the segments, in this order
  const std::uint32_t* run;       // where each run begins
  FlowState* state;
  RecordSink sink;
  Timeouts timeouts;
  std::uint32_t full_counter;

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t r) const {
    std::uint32_t begin = run[r];
    const std::uint32_t id = flow[begin];
    FlowState& f = state[id];
    for (;; begin += Tile::kSize) {
      const std::uint32_t s = begin + tile.rank();
      const bool mine = s >= begin && s < batch.count && flow[s] == id;
      const std::uint32_t count = count_bits(tile.ballot(mine));
      if (count == 0) break;
      const std::uint32_t i = mine ? position[s] : 0;
      const bool plain = !mine || is_plain(f, i);
      if (tile.ballot(!plain) == 0) count_together(tile, f, i, mine, count);
      else if (tile.rank() == 0) count_in_order(f, begin, count);
      tile.sync();
      if (count < Tile::kSize) break;
    }
    if (tile.rank() == 0) raise_to(sink.latest_ns, f.end_ns);
  }

  // Can this packet come anywhere among its neighbours? `f` is the state before the first of them.
  WARPMETER_HD bool is_plain(const FlowState& f, std::uint32_t i) const {
    const Segment& s = batch.segment[i];
    if (!(f.bits & kInUse) || full_counter - f.packets <= 32 || f.packets >= full_counter) return false;
    if (timeouts.idle_ns && s.time_ns - f.end_ns > timeouts.idle_ns) return false;
    if (s.time_ns < f.start_ns || (timeouts.active_ns && s.time_ns >= f.start_ns + timeouts.active_ns)) return false;
    if ((batch.mark[i] & kDuplicate) || !is_tcp(s)) return true;
    if ((s.flags & (kSyn | kFin | kRst)) || !(f.bits & kRangeKnown)) return false;
    const std::int32_t ahead = ahead_of(f, s);
    return ahead > -kNear && ahead < kNear && s.payload_length < kNear;
  }

  WARPMETER_HD static std::int32_t ahead_of(const FlowState& f, const Segment& s) {
    return static_cast<std::int32_t>(s.sequence - static_cast<std::uint32_t>(f.highest));
  }

  template <class Tile>
  WARPMETER_HD void count_together(Tile& tile, FlowState& f, std::uint32_t i, bool mine, std::uint32_t count) const {
    const Segment& s = batch.segment[i];
    const std::uint8_t mark = batch.mark[i];
    const bool duplicate = mine && (mark & kDuplicate);
    const bool tcp = mine && !duplicate && is_tcp(s);
    const bool again = tcp && (mark & kRetransmitted);
    const std::uint32_t ahead = tcp ? static_cast<std::uint32_t>(ahead_of(f, s)) : 0;
    const std::uint32_t payload = tcp ? s.payload_length : 0;
    const std::int64_t start = static_cast<std::int32_t>(ahead);

    const std::int64_t end_ns = largest_of(tile, mine ? s.time_ns : f.end_ns);
    const std::uint64_t bytes = sum_of(tile, std::uint64_t{mine ? s.length : 0});
    const std::uint64_t duplicate_bytes = sum_of(tile, std::uint64_t{duplicate ? s.length : 0});
    const std::uint64_t payload_bytes = sum_of(tile, std::uint64_t{payload});
    const std::uint64_t again_bytes = sum_of(tile, std::uint64_t{again ? payload : 0});
    const std::int64_t lowest = f.highest + least_of(tile, tcp ? start : f.lowest - f.highest);
    const std::int64_t highest = f.highest + largest_of(tile, tcp ? start + payload : 0);
    const std::uint32_t flags = reduce(tile, std::uint32_t{tcp ? s.flags : std::uint8_t{0}},
                                       [](std::uint32_t a, std::uint32_t b) { return a | b; });
    const std::uint32_t duplicates = count_bits(tile.ballot(duplicate));
    const std::uint32_t data = count_bits(tile.ballot(payload > 0));
    const std::uint32_t retransmitted = count_bits(tile.ballot(again));
    const std::uint32_t zero_windows = count_bits(tile.ballot(tcp && s.window == 0));
    tile.sync();  // every lane has read the state
    if (tile.rank() != 0) return;
    if (end_ns > f.end_ns) f.end_ns = end_ns;
    f.packets += count;
    f.bytes += bytes;
    f.duplicate_packets += duplicates;
    f.duplicate_bytes += duplicate_bytes;
    f.data_segments += data;
    f.payload_bytes += payload_bytes;
    f.retransmitted_segments += retransmitted;
    f.retransmitted_bytes += again_bytes;
    f.zero_window_count += zero_windows;
    f.tcp_flags |= static_cast<std::uint8_t>(flags);
    if (lowest < f.lowest) f.lowest = lowest;
    if (highest > f.highest) f.highest = highest;
  }

  WARPMETER_HD void count_in_order(FlowState& f, std::uint32_t begin, std::uint32_t count) const {
    const FlowStep step{f, sink, timeouts, full_counter};
    for (std::uint32_t s = begin; s < begin + count; ++s) {
      const std::uint32_t i = position[s];
      step.packet(batch.segment[i], batch.number[i], batch.mark[i]);
    }
  }
};

// A thread a flow: ends it with the input.
struct DrainFlows {
  const FlowState* state;
  std::uint32_t begin;
  RecordSink sink;
  std::int64_t trace_end_ns;
  std::int64_t idle_ns;

  template <class Tile>
  WARPMETER_HD void operator()(Tile&, std::uint32_t i) const {
    const FlowState& f = state[begin + i];
    if (!(f.bits & kInUse)) return;
    const bool idle = idle_ns && trace_end_ns - f.end_ns > idle_ns;
    auto* record =
        new (sink.place()) FlowRecord(record_of(f, idle ? EndReason::idle : EndReason::forced, LetGo::no, 0));
    if (f.bits & kCountersAside) record->flags |= kHasAside;
  }
};

}  // namespace warpmeter
