// What segments of one flow add up to, where their order does not matter: no timeout between them, no SYN, FIN or RST,
// sequence numbers near each other. A single segment has a sum, two sums combine into one, and a sum that `fits` a flow
// state can be added to it at once, with the result of taking its segments one after the other. Method five-tuple.
#pragma once

#include <cstdint>
#include <limits>

#include "batch_view.cuh"
#include "warpmeter/flow_state.h"
#include "warpmeter/options.h"

namespace warpmeter {

struct SegmentSum {
  // Sequence numbers so near to each other and to the highest end seen unwrap to the same in any order: with all
  // distances below 2^28, none to a passing highest end reaches 2^31.
  static constexpr std::int32_t kNear = 1 << 28;

  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_ns = std::numeric_limits<std::int64_t>::min();
  std::uint64_t bytes = 0;
  std::uint64_t payload_bytes = 0;
  std::uint64_t retransmitted_bytes = 0;
  std::uint64_t duplicate_bytes = 0;
  std::uint32_t packets = 0;
  std::uint32_t data_segments = 0;
  std::uint32_t retransmitted_segments = 0;
  std::uint32_t duplicate_packets = 0;
  std::uint32_t zero_window_count = 0;
  std::uint32_t base = 0;  // a sequence number; lowest start and highest end are relative to it, valid if `tcp`
  std::int32_t lowest = 0;
  std::int32_t highest = 0;
  std::uint8_t tcp_flags = 0;
  bool tcp = false;   // holds TCP segments that are no duplicates
  bool plain = true;  // their order does not matter
};

WARPMETER_HD inline bool is_near(std::int32_t distance) {
  return distance > -SegmentSum::kNear && distance < SegmentSum::kNear;
}

WARPMETER_HD inline SegmentSum sum_of_segment(const Segment& s, std::uint8_t mark) {
  SegmentSum sum;
  sum.first_ns = sum.last_ns = s.time_ns;
  sum.packets = 1;
  sum.bytes = s.length;
  if (mark & kDuplicate) {
    sum.duplicate_packets = 1;
    sum.duplicate_bytes = s.length;
  } else if (is_tcp(s)) {
    const bool again = mark & kRetransmitted;
    sum.tcp = true;
    sum.plain = !(s.flags & (kSyn | kFin | kRst)) && s.payload_length < SegmentSum::kNear;
    sum.base = s.sequence;
    sum.highest = static_cast<std::int32_t>(s.payload_length);
    sum.tcp_flags = s.flags;
    sum.zero_window_count = s.window == 0;
    sum.data_segments = s.payload_length > 0;
    sum.payload_bytes = s.payload_length;
    sum.retransmitted_segments = again;
    sum.retransmitted_bytes = again ? s.payload_length : 0;
  }
  return sum;
}

// Takes the range of `b` into that of `a`.
WARPMETER_HD inline void combine_ranges(SegmentSum& a, const SegmentSum& b) {
  if (!b.tcp) return;
  if (!a.tcp) {
    a.tcp = true;
    a.base = b.base;
    a.lowest = b.lowest;
    a.highest = b.highest;
    return;
  }
  const auto apart = static_cast<std::int32_t>(b.base - a.base);
  if (!is_near(apart)) {
    a.plain = false;
    return;
  }
  if (b.lowest + apart < a.lowest) a.lowest = b.lowest + apart;
  if (b.highest + apart > a.highest) a.highest = b.highest + apart;
  if (!is_near(a.lowest) || !is_near(a.highest)) a.plain = false;
}

WARPMETER_HD inline SegmentSum combine(SegmentSum a, const SegmentSum& b) {
  a.plain = a.plain && b.plain;
  if (a.plain) combine_ranges(a, b);
  if (b.first_ns < a.first_ns) a.first_ns = b.first_ns;
  if (b.last_ns > a.last_ns) a.last_ns = b.last_ns;
  a.bytes += b.bytes;
  a.payload_bytes += b.payload_bytes;
  a.retransmitted_bytes += b.retransmitted_bytes;
  a.duplicate_bytes += b.duplicate_bytes;
  a.packets += b.packets;
  a.data_segments += b.data_segments;
  a.retransmitted_segments += b.retransmitted_segments;
  a.duplicate_packets += b.duplicate_packets;
  a.zero_window_count += b.zero_window_count;
  a.tcp_flags |= b.tcp_flags;
  return a;
}

// The sum of another lane. Collective.
template <class Tile>
WARPMETER_HD SegmentSum shuffle(Tile& tile, const SegmentSum& sum, unsigned lane) {
  SegmentSum other;
  other.first_ns = tile.shfl(sum.first_ns, lane);
  other.last_ns = tile.shfl(sum.last_ns, lane);
  other.bytes = tile.shfl(sum.bytes, lane);
  other.payload_bytes = tile.shfl(sum.payload_bytes, lane);
  other.retransmitted_bytes = tile.shfl(sum.retransmitted_bytes, lane);
  other.duplicate_bytes = tile.shfl(sum.duplicate_bytes, lane);
  other.packets = tile.shfl(sum.packets, lane);
  other.data_segments = tile.shfl(sum.data_segments, lane);
  other.retransmitted_segments = tile.shfl(sum.retransmitted_segments, lane);
  other.duplicate_packets = tile.shfl(sum.duplicate_packets, lane);
  other.zero_window_count = tile.shfl(sum.zero_window_count, lane);
  other.base = tile.shfl(sum.base, lane);
  other.lowest = tile.shfl(sum.lowest, lane);
  other.highest = tile.shfl(sum.highest, lane);
  const std::uint32_t bits = sum.tcp_flags | (sum.tcp ? 256u : 0u) | (sum.plain ? 512u : 0u);
  const std::uint32_t other_bits = tile.shfl(bits, lane);
  other.tcp_flags = static_cast<std::uint8_t>(other_bits);
  other.tcp = other_bits & 256u;
  other.plain = other_bits & 512u;
  return other;
}

// The sum of all lanes' sums, for every lane. Collective.
template <class Tile>
WARPMETER_HD SegmentSum sum_of_lanes(Tile& tile, SegmentSum sum) {
  for (unsigned apart = Tile::kSize / 2; apart > 0; apart /= 2) {
    // The lower lane's goes first on both sides, so that all lanes end up with the same.
    const SegmentSum other = shuffle(tile, sum, tile.rank() ^ apart);
    sum = tile.rank() & apart ? combine(other, sum) : combine(sum, other);
  }
  return sum;
}

// Can the sum be added to this state as a whole?
WARPMETER_HD inline bool fits(const FlowState& f, const SegmentSum& sum, const Timeouts& timeouts,
                              std::uint32_t full_counter) {
  if (!sum.plain || !(f.bits & kInUse) || std::uint64_t{f.packets} + sum.packets > full_counter) return false;
  if (timeouts.idle_ns && sum.last_ns - f.end_ns > timeouts.idle_ns) return false;
  if (sum.first_ns < f.start_ns) return false;
  if (timeouts.active_ns && sum.last_ns >= f.start_ns + timeouts.active_ns) return false;
  if (!sum.tcp) return true;
  return (f.bits & kRangeKnown) && is_near(static_cast<std::int32_t>(sum.base - static_cast<std::uint32_t>(f.highest)));
}

// REQUIRES: fits().
WARPMETER_HD inline void add_sum(FlowState& f, const SegmentSum& sum) {
  if (sum.last_ns > f.end_ns) f.end_ns = sum.last_ns;
  f.packets += sum.packets;
  f.bytes += sum.bytes;
  f.duplicate_packets += sum.duplicate_packets;
  f.duplicate_bytes += sum.duplicate_bytes;
  if (!sum.tcp) return;
  f.data_segments += sum.data_segments;
  f.payload_bytes += sum.payload_bytes;
  f.retransmitted_segments += sum.retransmitted_segments;
  f.retransmitted_bytes += sum.retransmitted_bytes;
  f.zero_window_count += sum.zero_window_count;
  f.tcp_flags |= sum.tcp_flags;
  const std::int64_t base = unwrap(sum.base, f.highest);
  if (base + sum.lowest < f.lowest) f.lowest = base + sum.lowest;
  if (base + sum.highest > f.highest) f.highest = base + sum.highest;
}

}  // namespace warpmeter
