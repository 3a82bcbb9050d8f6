// What segments of one flow add up to, where nothing happens between them that depends on the flow's state: no timeout,
// no SYN, FIN or RST, and what the method asks of their sequence numbers (sequence_numbers.cuh). A single segment has a
// sum, the sums of neighbours combine into one, earlier first, and a sum that `fits` a flow state can be added to it at
// once, with the result of taking its segments one after the other.
#pragma once

#include <cstdint>
#include <limits>

#include "batch_view.cuh"
#include "sequence_numbers.cuh"
#include "warpmeter/flow_state.h"
#include "warpmeter/options.h"

namespace warpmeter {

template <class Numbers>
struct SegmentSum {
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  std::uint64_t bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t duplicate_bytes = 0;
  std::uint32_t packets = 0;
  std::uint32_t data_segments = 0;
  std::uint32_t duplicate_packets = 0;
  std::uint32_t zero_window_count = 0;
  Numbers numbers{};  // of the TCP segments that are no duplicates
  std::uint8_t tcp_flags = 0;
  bool tcp = false;   // there are such
  bool plain = true;  // they can be taken together
};

template <class Numbers>
WARPMETER_HD SegmentSum<Numbers> sum_of_segment(const Segment& s, std::uint8_t mark) {
  SegmentSum<Numbers> sum;
  sum.first_ns = sum.last_ns = s.time_ns;
  sum.packets = 1;
  sum.bytes = s.length;
  if (mark & kDuplicate) {
    sum.duplicate_packets = 1;
    sum.duplicate_bytes = s.length;
  } else if (is_tcp(s)) {
    sum.tcp = true;
    sum.plain = !(s.flags & (kSyn | kFin | kRst)) && s.payload_length < kNearNumbers;
    sum.numbers = Numbers::of(s, mark);
    sum.tcp_flags = s.flags;
    sum.zero_window_count = s.window == 0;
    sum.data_segments = s.payload_length > 0;
    sum.payload_bytes = s.payload_length;
  }
  return sum;
}

// `a` came before `b`.
template <class Numbers>
WARPMETER_HD SegmentSum<Numbers> combine(SegmentSum<Numbers> a, const SegmentSum<Numbers>& b) {
  a.plain = a.plain && b.plain;
  if (a.plain && b.tcp) {
    if (a.tcp) a.plain = a.numbers.append(b.numbers);
    else a.numbers = b.numbers;
    a.tcp = true;
  }
  if (b.first_ns < a.first_ns) a.first_ns = b.first_ns;
  if (b.last_ns > a.last_ns) a.last_ns = b.last_ns;
  a.bytes += b.bytes;
  a.payload_bytes += b.payload_bytes;
  a.duplicate_bytes += b.duplicate_bytes;
  a.packets += b.packets;
  a.data_segments += b.data_segments;
  a.duplicate_packets += b.duplicate_packets;
  a.zero_window_count += b.zero_window_count;
  a.tcp_flags |= b.tcp_flags;
  return a;
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

// Can the sum be added to this state as a whole?
template <class Numbers>
WARPMETER_HD bool fits(const FlowState& f, const SegmentSum<Numbers>& sum, const Timeouts& timeouts,
                       std::uint32_t full_counter) {
  if (!sum.plain || !(f.bits & kInUse) || std::uint64_t{f.packets} + sum.packets > full_counter) return false;
  if (timeouts.idle_ns && sum.last_ns - f.end_ns > timeouts.idle_ns) return false;
  if (sum.first_ns < f.start_ns) return false;
  if (timeouts.active_ns && sum.last_ns >= f.start_ns + timeouts.active_ns) return false;
  return !sum.tcp || ((f.bits & kRangeKnown) && sum.numbers.fit(f));
}

// REQUIRES: fits().
template <class Numbers>
WARPMETER_HD void add_sum(FlowState& f, const SegmentSum<Numbers>& sum) {
  if (sum.last_ns > f.end_ns) f.end_ns = sum.last_ns;
  f.packets += sum.packets;
  f.bytes += sum.bytes;
  f.duplicate_packets += sum.duplicate_packets;
  f.duplicate_bytes += sum.duplicate_bytes;
  if (!sum.tcp) return;
  f.data_segments += sum.data_segments;
  f.payload_bytes += sum.payload_bytes;
  f.zero_window_count += sum.zero_window_count;
  f.tcp_flags |= sum.tcp_flags;
  sum.numbers.add_to(f);
}

}  // namespace warpmeter
