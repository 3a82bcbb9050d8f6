// Sums of counters that come out of files, which may hold any numbers: a sum that has no room stays at the largest that
// a column can show. Any thread.
#pragma once

#include <cstdint>

#include "warpmeter/flow_record.h"

namespace warpmeter::inline flow {

// As add_counters().
inline void add_saturated(FlowRecord& sum, const FlowRecord& other) {
  add_counters(sum, other);
#define WARPMETER_SATURATE(name, ...) \
  if (sum.name < other.name || sum.name > INT64_MAX) sum.name = INT64_MAX;
  WARPMETER_FLOW_COUNTERS(WARPMETER_SATURATE)
#undef WARPMETER_SATURATE
}

}  // namespace warpmeter::inline flow
