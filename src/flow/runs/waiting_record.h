// A Flow Record that waits in a run for the file of its interval (--rotate TIME). It lies there in the place of a
// partial: a Flow Record comes first in both, and what a partial has behind it for the join has the interval here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/byte_order.h"
#include "core/partial.h"

namespace warpmeter::inline flow {

struct WaitingRecord {
  FlowRecord record;             // its arrival tells all apart: the number in the output
  std::int64_t interval_ns = 0;  // when the interval begins, since 1970
  std::uint8_t is_reverse = 0;   // 1: the other direction of the one before
  std::uint8_t unused[7] = {};
};
static_assert(sizeof(WaitingRecord) == sizeof(Partial) && std::is_trivially_copyable_v<WaitingRecord>);

inline Partial as_partial(const WaitingRecord& waiting) { return std::bit_cast<Partial>(waiting); }

// REQUIRES, here and below: as_partial() made it.
inline std::int64_t interval_of(const Partial& partial) {
  return load<std::int64_t>(reinterpret_cast<const std::uint8_t*>(&partial) + offsetof(WaitingRecord, interval_ns));
}
inline bool is_reverse(const Partial& partial) {
  return load<std::uint8_t>(reinterpret_cast<const std::uint8_t*>(&partial) + offsetof(WaitingRecord, is_reverse)) != 0;
}

// (interval, arrival). The only order that is none of keys.
inline int interval_order(const FlowRecord& a, const FlowRecord& b) {
  const std::int64_t interval = interval_of(static_cast<const Partial&>(a));
  const std::int64_t other = interval_of(static_cast<const Partial&>(b));
  if (interval != other) return interval < other ? -1 : 1;
  if (a.arrival != b.arrival) return a.arrival < b.arrival ? -1 : 1;
  return 0;
}

}  // namespace warpmeter::inline flow
