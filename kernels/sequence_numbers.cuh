// The sequence numbers of several segments of one flow that can be taken together, one kind for each method:
//
//   InOrderNumbers   exact: each segment begins where the one before it ended, so that nothing was seen before and
//                    nothing is missed. Whatever holes lie below stay as they are.
//   NearNumbers      five-tuple: near to each other; their order does not matter, lowest and highest do.
//
// Each has
//   static of(segment, mark)   of one segment that is no duplicate
//   append(later)              takes in those of later segments; false if they cannot be taken together
//   fit(flow), add_to(flow)    REQUIRES: kRangeKnown
//   shuffle(tile, numbers, lane)
#pragma once

#include <cstdint>

#include "batch_view.cuh"
#include "warpmeter/flow_state.h"
#include "warpmeter/options.h"

namespace warpmeter {

// Sequence numbers so near to each other and to the highest end seen unwrap to the same in any order: with all
// distances below 2^28, none to a passing highest end reaches 2^31.
inline constexpr std::int32_t kNearNumbers = 1 << 28;

WARPMETER_HD inline bool is_near(std::int32_t distance) { return distance > -kNearNumbers && distance < kNearNumbers; }

struct InOrderNumbers {
  static constexpr std::uint32_t kMostLength = std::uint32_t{1} << 31;

  std::uint32_t begin;
  std::uint32_t length;

  WARPMETER_HD static InOrderNumbers of(const Segment& s, std::uint8_t) { return {s.sequence, s.payload_length}; }

  WARPMETER_HD bool append(const InOrderNumbers& later) {
    if (begin + length != later.begin || later.length >= kMostLength - length) return false;
    length += later.length;
    return true;
  }
  WARPMETER_HD bool fit(const FlowState& f) const { return begin == static_cast<std::uint32_t>(f.highest); }
  WARPMETER_HD void add_to(FlowState& f) const { f.highest += length; }
};

struct NearNumbers {
  std::uint32_t base;  // a sequence number; lowest start and highest end are relative to it
  std::int32_t lowest;
  std::int32_t highest;
  std::uint32_t retransmitted_segments;
  std::uint64_t retransmitted_bytes;

  WARPMETER_HD static NearNumbers of(const Segment& s, std::uint8_t mark) {
    const bool again = mark & kRetransmitted;
    return {s.sequence, 0, static_cast<std::int32_t>(s.payload_length), again, again ? s.payload_length : 0};
  }

  WARPMETER_HD bool append(const NearNumbers& later) {
    const auto apart = static_cast<std::int32_t>(later.base - base);
    if (!is_near(apart)) return false;
    if (later.lowest + apart < lowest) lowest = later.lowest + apart;
    if (later.highest + apart > highest) highest = later.highest + apart;
    retransmitted_segments += later.retransmitted_segments;
    retransmitted_bytes += later.retransmitted_bytes;
    return is_near(lowest) && is_near(highest);
  }
  WARPMETER_HD bool fit(const FlowState& f) const {
    return is_near(static_cast<std::int32_t>(base - static_cast<std::uint32_t>(f.highest)));
  }
  WARPMETER_HD void add_to(FlowState& f) const {
    const std::int64_t unwrapped = unwrap(base, f.highest);
    if (unwrapped + lowest < f.lowest) f.lowest = unwrapped + lowest;
    if (unwrapped + highest > f.highest) f.highest = unwrapped + highest;
    f.retransmitted_segments += retransmitted_segments;
    f.retransmitted_bytes += retransmitted_bytes;
  }
};

template <class Tile>
WARPMETER_HD InOrderNumbers shuffle(Tile& tile, const InOrderNumbers& numbers, unsigned lane) {
  return {tile.shfl(numbers.begin, lane), tile.shfl(numbers.length, lane)};
}

template <class Tile>
WARPMETER_HD NearNumbers shuffle(Tile& tile, const NearNumbers& numbers, unsigned lane) {
  return {tile.shfl(numbers.base, lane), tile.shfl(numbers.lowest, lane), tile.shfl(numbers.highest, lane),
          tile.shfl(numbers.retransmitted_segments, lane), tile.shfl(numbers.retransmitted_bytes, lane)};
}

template <Method kMethod>
struct NumbersOfMethod {
  using Type = InOrderNumbers;
};
template <>
struct NumbersOfMethod<Method::five_tuple> {
  using Type = NearNumbers;
};
template <Method kMethod>
using NumbersOf = typename NumbersOfMethod<kMethod>::Type;

}  // namespace warpmeter
