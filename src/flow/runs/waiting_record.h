// A Flow Record that waits in a run for the file of its interval (--rotate TIME). It lies there in the place of a
// partial: a Flow Record comes first in both, and what a partial has behind it for the join has the interval and the
// place here. The Flow Record itself stays as it is: its arrival is still the number of its first packet.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "core/byte_order.h"
#include "core/partial.h"

namespace warpmeter::inline flow {

struct WaitingRecord {
  FlowRecord record;
  std::int64_t interval_ns = 0;  // when the interval begins, since 1970
  std::uint64_t place = 0;       // waiting_place(), which tells all apart
};

// Of number `number` of what waits. `reverse`: the other direction of the one before.
constexpr std::uint64_t waiting_place(std::uint64_t number, bool reverse) {
  return number << 1 | std::uint64_t{reverse};
}

static_assert(sizeof(WaitingRecord) == sizeof(Partial) && std::is_trivially_copyable_v<WaitingRecord>);

inline Partial as_partial(const WaitingRecord& waiting) { return std::bit_cast<Partial>(waiting); }

// REQUIRES, here and below: as_partial() made it.
inline std::int64_t interval_of(const Partial& partial) {
  return load<std::int64_t>(reinterpret_cast<const std::uint8_t*>(&partial) + offsetof(WaitingRecord, interval_ns));
}
inline std::uint64_t place_in_wait(const Partial& partial) {
  return load<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(&partial) + offsetof(WaitingRecord, place));
}
inline bool is_reverse(const Partial& partial) { return (place_in_wait(partial) & 1) != 0; }

// (interval, place). The only order that is none of keys.
inline int interval_order(const FlowRecord& a, const FlowRecord& b) {
  const std::int64_t interval = interval_of(static_cast<const Partial&>(a));
  const std::int64_t other = interval_of(static_cast<const Partial&>(b));
  if (interval != other) return interval < other ? -1 : 1;
  const std::uint64_t place = place_in_wait(static_cast<const Partial&>(a));
  const std::uint64_t other_place = place_in_wait(static_cast<const Partial&>(b));
  if (place != other_place) return place < other_place ? -1 : 1;
  return 0;
}

}  // namespace warpmeter::inline flow
