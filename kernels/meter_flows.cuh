// Kernels of the flow part: the segments of a batch, sorted by flow, are brought to the states of their flows.
//
// A tile takes the run of one flow's segments, as many at once as it has lanes. Where nothing can happen between them
// that depends on their order (no timeout, no SYN, FIN or RST, no wrap: nearly always), their counters are summed by
// the lanes together; else one lane takes them one after the other, through the same functions as the CPU backend.
#pragma once

#include "batch_view.cuh"
#include "record_sink.cuh"
#include "segment_sum.cuh"
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

// A tile a piece of the sorted order: the sum of its segments, if they are all of one flow. A flow with very many
// segments in a batch is then taken piece by piece instead of segment by segment.
struct SumPieces {
  BatchView batch;
  const std::uint32_t* flow;      // sorted flow ids
  const std::uint32_t* position;  // of the segments, in this order
  std::uint32_t piece_size;
  SegmentSum* piece;  // [batch.count / piece_size]

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t p) const {
    const std::uint32_t begin = p * piece_size, end = begin + piece_size;
    if (flow[begin] != flow[end - 1]) return;  // the same for all lanes
    SegmentSum sum;
    for (std::uint32_t s = begin + tile.rank(); s < end; s += Tile::kSize) {
      const std::uint32_t i = position[s];
      sum = combine(sum, sum_of_segment(batch.segment[i], batch.mark[i]));
    }
    sum = sum_of_lanes(tile, sum);
    if (tile.rank() == 0) piece[p] = sum;
  }
};

// A tile a run. Method five-tuple.
struct MeterFlows {
  BatchView batch;
  const std::uint32_t* flow;      // sorted flow ids
  const std::uint32_t* position;  // of the segments, in this order
  const std::uint32_t* run;       // where each run begins
  FlowState* state;
  RecordSink sink;
  Timeouts timeouts;
  std::uint32_t full_counter;
  const SegmentSum* piece = nullptr;  // of SumPieces
  std::uint32_t piece_size = 0;       // a power of two; 0 = no pieces

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t r) const {
    std::uint32_t s = run[r];
    const std::uint32_t id = flow[s];
    FlowState& f = state[id];
    while (s < batch.count && flow[s] == id) {
      const std::uint32_t by_pieces = take_pieces(tile, f, id, s);
      s += by_pieces ? by_pieces : take_segments(tile, f, id, s);
    }
    if (tile.rank() == 0) raise_to(sink.latest_ns, f.end_ns);
  }

  // Takes as many whole pieces as the tile has lanes, if their order does not matter. Returns how many segments that
  // were.
  template <class Tile>
  WARPMETER_HD std::uint32_t take_pieces(Tile& tile, FlowState& f, std::uint32_t id, std::uint32_t s) const {
    if (piece_size == 0 || s % piece_size != 0) return 0;
    const std::uint64_t end = s + std::uint64_t{tile.rank() + 1} * piece_size;
    const bool mine = end <= batch.count && flow[end - 1] == id;
    const std::uint32_t pieces = count_bits(tile.ballot(mine));
    if (pieces == 0) return 0;
    const SegmentSum sum = sum_of_lanes(tile, mine ? piece[s / piece_size + tile.rank()] : SegmentSum{});
    if (!fits(f, sum, timeouts, full_counter)) return 0;  // the same for all lanes
    add(tile, f, sum);
    return pieces * piece_size;
  }

  // Takes the next segments of the run, as many as the tile has lanes, but stops where a piece begins.
  template <class Tile>
  WARPMETER_HD std::uint32_t take_segments(Tile& tile, FlowState& f, std::uint32_t id, std::uint32_t s) const {
    const std::uint32_t most = piece_size ? piece_size - s % piece_size : Tile::kSize;
    const std::uint64_t at = std::uint64_t{s} + tile.rank();
    const bool mine = tile.rank() < most && at < batch.count && flow[at] == id;
    const std::uint32_t count = count_bits(tile.ballot(mine));
    SegmentSum sum;
    if (mine) sum = sum_of_segment(batch.segment[position[at]], batch.mark[position[at]]);
    sum = sum_of_lanes(tile, sum);
    if (fits(f, sum, timeouts, full_counter)) {
      add(tile, f, sum);
    } else {
      tile.sync();  // every lane has looked at the state
      if (tile.rank() == 0) count_in_order(f, s, count);
      tile.sync();
    }
    return count;
  }

  template <class Tile>
  WARPMETER_HD void add(Tile& tile, FlowState& f, const SegmentSum& sum) const {
    tile.sync();  // every lane has looked at the state
    if (tile.rank() == 0) add_sum(f, sum);
    tile.sync();
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
