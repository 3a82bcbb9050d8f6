// The sequence numbers of several segments of one flow that can be taken together, one kind for each method:
//
//   InOrderNumbers   exact: each segment begins where the one before it ended, so that nothing was seen before and
//                    nothing is missed. Whatever holes lie below stay as they are.
//   NearNumbers      five-tuple: near to each other; their order does not matter, lowest and highest do.
//
// Each has
//   static of(segment, again)  of one segment that is no duplicate; again: what the segment table said
//   append(later)              takes in those of later segments; false if they cannot be taken together
//   fit(flow), add_to(flow, has payload)   REQUIRES: kRangeKnown, no candidate
#pragma once

#include <cstdint>

#include "core/flow_state.h"
#include "core/options.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"

namespace warpmeter {

struct InOrderNumbers {
  static constexpr std::uint32_t kMostLength = std::uint32_t{1} << 31;

  std::uint32_t begin;
  std::uint32_t length;

  WARPMETER_HD static InOrderNumbers of(const Segment& s, bool) { return {s.sequence, s.payload_length}; }

  WARPMETER_HD bool append(const InOrderNumbers& later) {
    if (!follows(later.begin, begin, length) || later.length >= kMostLength - length) return false;
    length += later.length;
    return true;
  }
  WARPMETER_HD bool fit(const FlowState& f) const { return is_at(begin, f.highest); }
  WARPMETER_HD void add_to(FlowState& f, bool) const { f.highest += length; }
};

struct NearNumbers {
  std::uint32_t base;  // a sequence number; lowest start and highest end are relative to it
  std::int32_t lowest;
  std::int32_t highest;
  std::uint32_t retransmitted_segments;
  std::uint64_t retransmitted_bytes;

  WARPMETER_HD static NearNumbers of(const Segment& s, bool again) {
    return {s.sequence, 0, static_cast<std::int32_t>(s.payload_length), again, again ? s.payload_length : 0};
  }

  WARPMETER_HD bool append(const NearNumbers& later) {
    const std::int32_t apart = sequence_distance(base, later.base);
    if (!is_near(apart)) return false;
    if (later.lowest + apart < lowest) lowest = later.lowest + apart;
    if (later.highest + apart > highest) highest = later.highest + apart;
    retransmitted_segments += later.retransmitted_segments;
    retransmitted_bytes += later.retransmitted_bytes;
    return is_near(lowest) && is_near(highest);
  }
  // None is a stray, whatever their order (stray.h): none starts far above the highest end as it is, nor below the ISN.
  WARPMETER_HD bool fit(const FlowState& f) const {
    const std::int32_t distance = sequence_distance(on_wire(f.highest), base);
    if (!is_near(distance) || distance + highest > kFarAhead) return false;
    return !(f.bits & kIsn) || f.highest + distance + lowest >= f.lowest;
  }
  WARPMETER_HD void add_to(FlowState& f, bool has_payload) const {
    if (has_payload) f.history |= kBytesSeen;
    const std::int64_t unwrapped = unwrap(base, f.highest);
    if (unwrapped + lowest < f.lowest) f.lowest = unwrapped + lowest;
    if (unwrapped + highest > f.highest) f.highest = unwrapped + highest;
    f.retransmitted_segments += retransmitted_segments;
    f.retransmitted_bytes += retransmitted_bytes;
  }
};

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
