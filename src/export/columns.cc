#include "export/columns.h"

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

Value end_reason(const FlowRecord& r) { return static_cast<std::int64_t>(r.end_reason); }

constexpr Column kColumns[] = {
    {"packets", any<&FlowRecord::packets>},
    {"bytes", any<&FlowRecord::bytes>},
    {"payload_bytes", tcp<&FlowRecord::payload_bytes>},
    {"data_segments", tcp<&FlowRecord::data_segments>},
    {"retransmitted_segments", tcp<&FlowRecord::retransmitted_segments>},
    {"retransmitted_bytes", tcp<&FlowRecord::retransmitted_bytes>},
    {"duplicate_packets", any<&FlowRecord::duplicate_packets>},
    {"duplicate_bytes", any<&FlowRecord::duplicate_bytes>},
    {"out_of_order_segments", tcp<&FlowRecord::out_of_order_segments>},
    {"keep_alive_segments", tcp<&FlowRecord::keep_alive_segments>},
    {"missing_bytes", tcp<&FlowRecord::missing_bytes>},
    {"syn_count", tcp<&FlowRecord::syn_count>},
    {"fin_count", tcp<&FlowRecord::fin_count>},
    {"rst_count", tcp<&FlowRecord::rst_count>},
    {"zero_window_count", tcp<&FlowRecord::zero_window_count>},
    {"tcp_flags", tcp_flags},
    {"connection_bytes", connection<&FlowRecord::connection_bytes>},
    {"connection_ns", connection<&FlowRecord::connection_ns>},
    {"end_reason", end_reason},
};

}  // namespace

std::span<const Column> value_columns() { return kColumns; }

}  // namespace warpmeter
