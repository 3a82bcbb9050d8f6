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
#pragma once

#include <cstdint>

#include "batch_view.cuh"
#include "core/segment_sum.h"

namespace warpmeter {

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

}  // namespace warpmeter
