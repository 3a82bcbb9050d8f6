// The columns of a Flow Record behind its Flow Key and times, in the order in which every text format writes them, and
// what is left empty when.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "warpmeter/flow_record.h"
#include "warpmeter/options.h"

namespace warpmeter {

struct Column {
  const char* name;
  // The value, or nothing where it does not apply.
  std::optional<std::int64_t> (*value)(const FlowRecord&);
};

// packets ... end_reason. What `method` does not count is nothing in every record.
std::span<const Column> value_columns(Method method);

// src_addr ... end_ns.
inline constexpr const char* kKeyColumns[] = {"src_addr", "dst_addr", "src_port", "dst_port",
                                              "protocol", "start_ns", "end_ns"};
inline constexpr const char* kVlanColumn = "vlan_id";

}  // namespace warpmeter
