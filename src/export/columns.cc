#include "export/columns.h"

#include <array>
#include <string_view>

namespace warpmeter {
namespace {

using Value = std::optional<std::int64_t>;

template <std::uint64_t FlowRecord::*kMember>
Value any(const FlowRecord& r) {
  return static_cast<std::int64_t>(r.*kMember);
}

template <std::uint64_t FlowRecord::*kMember>
Value tcp(const FlowRecord& r) {
  if (r.key.protocol != kProtocolTcp) return std::nullopt;
  return static_cast<std::int64_t>(r.*kMember);
}

template <std::int64_t FlowRecord::*kMember>
Value connection(const FlowRecord& r) {
  if (r.key.protocol != kProtocolTcp || !(r.flags & kHasConnection)) return std::nullopt;
  return r.*kMember;
}

Value tcp_flags(const FlowRecord& r) {
  if (r.key.protocol != kProtocolTcp) return std::nullopt;
  return r.tcp_flags;
}

Value nothing(const FlowRecord&) { return std::nullopt; }

Value end_reason(const FlowRecord& r) { return static_cast<std::int64_t>(r.end_reason); }

constexpr std::array kColumns = {
    Column{"packets", any<&FlowRecord::packets>},
    Column{"bytes", any<&FlowRecord::bytes>},
    Column{"payload_bytes", tcp<&FlowRecord::payload_bytes>},
    Column{"data_segments", tcp<&FlowRecord::data_segments>},
    Column{"retransmitted_segments", tcp<&FlowRecord::retransmitted_segments>},
    Column{"retransmitted_bytes", tcp<&FlowRecord::retransmitted_bytes>},
    Column{"duplicate_packets", any<&FlowRecord::duplicate_packets>},
    Column{"duplicate_bytes", any<&FlowRecord::duplicate_bytes>},
    Column{"out_of_order_segments", tcp<&FlowRecord::out_of_order_segments>},
    Column{"keep_alive_segments", tcp<&FlowRecord::keep_alive_segments>},
    Column{"missing_bytes", tcp<&FlowRecord::missing_bytes>},
    Column{"syn_count", tcp<&FlowRecord::syn_count>},
    Column{"fin_count", tcp<&FlowRecord::fin_count>},
    Column{"rst_count", tcp<&FlowRecord::rst_count>},
    Column{"zero_window_count", tcp<&FlowRecord::zero_window_count>},
    Column{"tcp_flags", tcp_flags},
    Column{"connection_bytes", connection<&FlowRecord::connection_bytes>},
    Column{"connection_ns", connection<&FlowRecord::connection_ns>},
    Column{"end_reason", end_reason},
};

constexpr bool is_counted_by_exact_alone(std::string_view name) {
  return name == "out_of_order_segments" || name == "keep_alive_segments" || name == "missing_bytes";
}

constexpr auto five_tuple_columns() {
  auto columns = kColumns;
  for (Column& column : columns) {
    if (is_counted_by_exact_alone(column.name)) column.value = nothing;
  }
  return columns;
}
constexpr auto kFiveTupleColumns = five_tuple_columns();

}  // namespace

std::span<const Column> value_columns(Method method) {
  return method == Method::five_tuple ? kFiveTupleColumns : kColumns;
}

}  // namespace warpmeter
