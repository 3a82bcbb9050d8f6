// Sums of the counters of Flow Records, as summaries in JSON tell them.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "warpmeter/columns.h"

namespace warpmeter {

// Null where it is not known: of the columns in `absent`.
inline nlohmann::ordered_json totals_json(const FlowRecord& t, std::uint32_t absent) {
  nlohmann::ordered_json totals;
#define WARPMETER_TOTAL(name, ...) totals[#name] = t.name;
  WARPMETER_FLOW_COUNTERS(WARPMETER_TOTAL)
#undef WARPMETER_TOTAL
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (is_counter(i) && (absent >> i & 1)) totals[std::string(kColumns[i].name)] = nullptr;
  }
  return totals;
}

}  // namespace warpmeter
