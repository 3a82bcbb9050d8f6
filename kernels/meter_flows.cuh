// Kernels of the flow part: the segments of a batch, sorted by flow, are brought to the states of their flows.
//
// A tile takes the run of one flow's segments, as many at once as it has lanes. Where they can be taken together
// (segment_sum.h: nearly always), the lanes sum them; else one lane takes them one after the other (flow_step.cuh).
#pragma once

#include <cstdint>

#include "batch_view.cuh"
#include "core/segment_sum.h"
#include "core/tile.h"
#include "flow_step.cuh"

namespace warpmeter {

// Sums of segments (segment_sum.h) across the lanes of a tile.
//
// A reduction whose operation is associative but not commutative: combine(a, b) asks whether b's numbers follow a's.
// So a lane must always hold the sum of lanes that are neighbours, and combine in their order. With a butterfly it
// does: in round k a lane exchanges with the one whose rank differs in bit k. Before it, both hold the sum of their
// own 2^k neighbours; the one with the bit set is the later. After log2(lanes) rounds all lanes hold the sum of all,
// in order, and none needs shared memory.
//
// Lanes without a segment hold an empty sum, which changes nothing on either side. One segment that cannot be taken
// together with others makes the sum of all not plain; then one lane takes the segments one after the other.

template <class Numbers>
WARPMETER_HD SegmentSum<Numbers> sum_of_segment(const Segment& s, std::uint8_t mark) {
  return sum_of_segment<Numbers>(s, mark & kDuplicate, mark & kRetransmitted);
}

template <class Tile>
WARPMETER_HD InOrderNumbers shuffle(Tile& tile, const InOrderNumbers& numbers, unsigned lane) {
  return {tile.shfl(numbers.begin, lane), tile.shfl(numbers.length, lane)};
}

template <class Tile>
WARPMETER_HD NearNumbers shuffle(Tile& tile, const NearNumbers& numbers, unsigned lane) {
  return {tile.shfl(numbers.base, lane), tile.shfl(numbers.lowest, lane), tile.shfl(numbers.highest, lane),
          tile.shfl(numbers.retransmitted_segments, lane), tile.shfl(numbers.retransmitted_bytes, lane)};
}

// The sum of another lane. Collective.
template <class Tile, class Numbers>
WARPMETER_HD SegmentSum<Numbers> shuffle(Tile& tile, const SegmentSum<Numbers>& sum, unsigned lane) {
  SegmentSum<Numbers> other;
  other.first_ns = tile.shfl(sum.first_ns, lane);
  other.last_ns = tile.shfl(sum.last_ns, lane);
  other.bytes = tile.shfl(sum.bytes, lane);
  other.payload_bytes = tile.shfl(sum.payload_bytes, lane);
  other.duplicate_bytes = tile.shfl(sum.duplicate_bytes, lane);
  other.packets = tile.shfl(sum.packets, lane);
  other.data_segments = tile.shfl(sum.data_segments, lane);
  other.duplicate_packets = tile.shfl(sum.duplicate_packets, lane);
  other.zero_window_count = tile.shfl(sum.zero_window_count, lane);
  other.numbers = shuffle(tile, sum.numbers, lane);
  const std::uint32_t bits = sum.tcp_flags | (sum.tcp ? 256u : 0u) | (sum.plain ? 512u : 0u);
  const std::uint32_t other_bits = tile.shfl(bits, lane);
  other.tcp_flags = static_cast<std::uint8_t>(other_bits);
  other.tcp = other_bits & 256u;
  other.plain = other_bits & 512u;
  return other;
}

// The sum of all lanes' sums, lane 0's first, for every lane. Collective.
template <class Tile, class Numbers>
WARPMETER_HD SegmentSum<Numbers> sum_of_lanes(Tile& tile, SegmentSum<Numbers> sum) {
  // Neighbours first, then pairs of them: at any time a lane holds the sum of lanes that follow each other.
  for (unsigned apart = 1; apart < Tile::kSize; apart *= 2) {
    const SegmentSum<Numbers> other = shuffle(tile, sum, tile.rank() ^ apart);
    sum = tile.rank() & apart ? combine(other, sum) : combine(sum, other);
  }
  return sum;
}

// A batch sorted by flow, in order of arrival within each.
struct FlowRuns {
  const std::uint32_t* flow;      // sorted flow ids
  const std::uint32_t* position;  // of the segments, in this order
  const std::uint32_t* run;       // where each run begins
};

// The largest of the lanes' values, for every lane. Collective.
template <class Tile>
WARPMETER_HD std::int64_t largest_of_lanes(Tile& tile, std::int64_t value) {
  for (unsigned apart = 1; apart < Tile::kSize; apart *= 2) {
    const std::int64_t other = tile.shfl(value, tile.rank() ^ apart);
    if (other > value) value = other;
  }
  return value;
}

// A tile a piece of the sorted order: the sum of its segments, if they are all of one flow. A flow with very many
// segments in a batch is then taken piece by piece instead of segment by segment.
template <Method kMethod>
struct SumPieces {
  using Sum = SegmentSum<NumbersOf<kMethod>>;

  BatchView batch;
  FlowRuns runs;
  std::uint32_t piece_size;  // a power of two
  Sum* piece;                // [batch.count / piece_size]

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t p) const {
    const std::uint32_t begin = p * piece_size;
    const std::uint32_t flow = runs.flow[begin];  // the same for all lanes
    if (flow == batch.no_flow || flow != runs.flow[begin + piece_size - 1]) return;
    const Sum sum = sum_of_lanes(tile, sum_of_share(begin, tile.rank(), Tile::kSize));
    if (tile.rank() == 0) piece[p] = sum;
  }

  // A lane sums neighbours, because the order counts.
  WARPMETER_HD Sum sum_of_share(std::uint32_t begin, unsigned lane, unsigned lanes) const {
    const std::uint32_t share = piece_size > lanes ? piece_size / lanes : 1;
    Sum sum;
    if (lane * share >= piece_size) return sum;
    for (std::uint32_t s = begin + lane * share; s < begin + (lane + 1) * share; ++s) {
      const std::uint32_t i = runs.position[s];
      sum = combine(sum, sum_of_segment<NumbersOf<kMethod>>(batch.segment[i], batch.mark[i]));
    }
    return sum;
  }
};

// A tile a run.
template <Method kMethod>
struct MeterFlows {
  // It waits for memory most of the time: on an H200 a quarter faster than with 3, though some registers are spilled.
  static constexpr unsigned kBlocks = kMethod == Method::exact ? 4 : 0;
  using Sum = SegmentSum<NumbersOf<kMethod>>;

  BatchView batch;
  FlowRuns runs;
  FlowsRef flows;
  const Sum* piece = nullptr;    // of SumPieces
  std::uint32_t piece_size = 0;  // 0 = no pieces

  template <class Tile>
  WARPMETER_HD void operator()(Tile& tile, std::uint32_t r) const {
    std::uint32_t s = runs.run[r];
    const std::uint32_t id = runs.flow[s];
    FlowState& f = flows.state[id];
    bool on_cpu = f.bits & kOnCpu;
    while (!on_cpu && is_of(id, s)) {
      const std::uint32_t by_pieces = take_pieces(tile, f, id, s);
      s += by_pieces ? by_pieces : take_segments(tile, f, id, s, on_cpu);
    }
    if (on_cpu) leave_to_cpu(tile, f, id, s);
    if (tile.rank() == 0) close_run(f);
  }

 private:
  WARPMETER_HD bool is_of(std::uint32_t id, std::uint64_t s) const { return s < batch.count && runs.flow[s] == id; }

  // Takes as many whole pieces as the tile has lanes, if they can be taken together. Returns how many segments that
  // were.
  template <class Tile>
  WARPMETER_HD std::uint32_t take_pieces(Tile& tile, FlowState& f, std::uint32_t id, std::uint32_t s) const {
    if (piece_size == 0 || s % piece_size != 0) return 0;
    const bool mine = is_of(id, s + std::uint64_t{tile.rank() + 1} * piece_size - 1);
    const std::uint32_t pieces = count_bits(tile.ballot(mine));
    if (pieces == 0) return 0;
    const Sum sum = sum_of_lanes(tile, mine ? piece[s / piece_size + tile.rank()] : Sum{});
    if (!fits(f, sum, flows.timeouts, flows.full_counter)) return 0;  // the same for all lanes
    add(tile, f, sum);
    return pieces * piece_size;
  }

  // Takes the next segments of the run, as many as the tile has lanes, but stops where a piece begins. Returns how many
  // it took; those of them that are left are the CPU's if `on_cpu` is true afterwards.
  template <class Tile>
  WARPMETER_HD std::uint32_t take_segments(Tile& tile, FlowState& f, std::uint32_t id, std::uint32_t s,
                                           bool& on_cpu) const {
    const std::uint32_t most = piece_size ? piece_size - s % piece_size : Tile::kSize;
    const std::uint64_t at = std::uint64_t{s} + tile.rank();
    const bool mine = tile.rank() < most && is_of(id, at);
    const std::uint32_t count = count_bits(tile.ballot(mine));
    Sum sum;
    if (mine) {
      sum = sum_of_segment<NumbersOf<kMethod>>(batch.segment[runs.position[at]], batch.mark[runs.position[at]]);
    }
    sum = sum_of_lanes(tile, sum);
    if (fits(f, sum, flows.timeouts, flows.full_counter)) {
      add(tile, f, sum);
      return count;
    }
    tile.sync();  // every lane has looked at the state
    const std::uint32_t counted = tile.shfl(tile.rank() == 0 ? count_in_order(f, s, count) : 0, 0);
    tile.sync();
    on_cpu = counted < count;
    return counted;
  }

  template <class Tile>
  WARPMETER_HD void add(Tile& tile, FlowState& f, const Sum& sum) const {
    tile.sync();  // every lane has looked at the state
    if (tile.rank() == 0) add_sum(f, sum);
    tile.sync();
  }

  // Returns how many were counted; fewer than `count` if the CPU takes the flow over.
  WARPMETER_HD std::uint32_t count_in_order(FlowState& f, std::uint32_t begin, std::uint32_t count) const {
    const FlowStep<kMethod> step{f, flows};
    for (std::uint32_t k = 0; k < count; ++k) {
      const std::uint32_t i = runs.position[begin + k];
      if (step.packet(batch.segment[i], batch.number[i], batch.mark[i])) continue;
      step.hand_over();
      return k;
    }
    return count;
  }

  // The rest of the run. All that the device keeps of the flow is its end, to know when it can forget it.
  template <class Tile>
  WARPMETER_HD void leave_to_cpu(Tile& tile, FlowState& f, std::uint32_t id, std::uint32_t s) const {
    std::int64_t end_ns = f.end_ns;
    for (std::uint64_t at = std::uint64_t{s} + tile.rank(); is_of(id, at); at += Tile::kSize) {
      const std::uint32_t i = runs.position[at];
      flows.overflow.add(i, batch.mark[i] & kDuplicate);
      if (batch.segment[i].time_ns > end_ns) end_ns = batch.segment[i].time_ns;
    }
    end_ns = largest_of_lanes(tile, end_ns);
    tile.sync();  // every lane has looked at the state
    if (tile.rank() == 0) f.end_ns = end_ns;
  }

  WARPMETER_HD void close_run(FlowState& f) const {
    raise_to(flows.sink.latest_ns, f.end_ns);
    if constexpr (kMethod == Method::five_tuple) f.block = flows.block;
  }
};

}  // namespace warpmeter
