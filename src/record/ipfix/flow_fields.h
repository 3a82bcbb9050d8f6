// The Information Elements that tell something of a flow, those of other exporters included: which field of a flow each
// one carries. All others are skipped.
//
// Both directions of a Biflow have the same fields; elements of the reverse one are those of RFC 5103, those that name
// the responder, and ntop's that are called OUT.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <unordered_map>

#include "core/annex.h"
#include "record/ipfix/info_model.h"
#include "record/ipfix/template_set.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline record {

// The first ones are the columns, by number: their own elements.
enum class FlowField : std::uint8_t {
  source_ipv4 = kColumns.size(),
  destination_ipv4,
  source_ipv6,
  destination_ipv6,
  ip_version,
  protocol,
  source_port,
  destination_port,
  udp_source_port,
  udp_destination_port,
  tcp_source_port,
  tcp_destination_port,
  icmp_type_code_v4,
  icmp_type_code_v6,
  icmp_type_v4,
  icmp_code_v4,
  icmp_type_v6,
  icmp_code_v6,
  vlan,
  outer_vlan,
  customer_vlan,
  system_init_ms,
  start_nanoseconds,
  end_nanoseconds,
  start_microseconds,
  end_microseconds,
  start_milliseconds,
  end_milliseconds,
  start_seconds,
  end_seconds,
  start_delta_us,  // before the Export Time
  end_delta_us,
  start_uptime_ms,
  end_uptime_ms,
  duration_ms,
  duration_us,
  reverse_delay_ms,  // from the start of the forward direction (YAF)
  total_packets,
  total_bytes,
  biflow_packets,  // of initiator and responder
  biflow_bytes,
  other_retransmitted_packets,
  other_retransmitted_bytes,
  other_out_of_order_packets,
  first_tcp_flags,
  further_tcp_flags,
  first_packet,
  first_annex,  // of each AnnexField: of its own element
  last_annex = first_annex + kAnnexFields - 1,
  annex_fields,
  application_name,  // texts and the list, of variable length
  application_name_list,
  first_text,  // those of kFieldElements
  last_text = first_text + std::size(kFieldElements) - 1,
  first_own_text,  // from kFirstOwnText on
  last_own_text = first_own_text + kMostOwnTexts - 1,
  count
};

inline constexpr std::size_t kFields = static_cast<std::size_t>(FlowField::count);

enum class Direction : std::uint8_t { forward, reverse };

// A field of one direction.
using Slot = std::uint8_t;
inline constexpr std::size_t kSlots = 2 * kFields;
inline constexpr Slot kNoSlot = 255;
static_assert(kSlots < kNoSlot);

constexpr Slot slot_of(FlowField field, Direction direction = Direction::forward) {
  return static_cast<Slot>(static_cast<std::size_t>(field) + (direction == Direction::reverse ? kFields : 0));
}

constexpr Slot slot_of_column(std::size_t column, Direction direction) {
  return slot_of(static_cast<FlowField>(column), direction);
}

// IEEE 802.1Q's ids, which may be part of a key, have fields of their own.
constexpr FlowField field_of(AnnexField field) {
  if (field == AnnexField::outer_vlan_id) return FlowField::outer_vlan;
  if (field == AnnexField::inner_vlan_id) return FlowField::customer_vlan;
  return static_cast<FlowField>(static_cast<std::size_t>(FlowField::first_annex) + static_cast<std::size_t>(field));
}

class FlowFields {
 public:
  // The model is asked for types, and told of elements of others that it does not know. It must outlive this.
  explicit FlowFields(InfoModel& model);

  // kNoSlot if it says nothing of flows, or in a length that its type cannot have.
  Slot find(const FieldSpecifier& field) const;

  // Null if no element carries it.
  const fbInfoElement_t* element(Slot slot) const { return elements_[slot]; }

 private:
  std::array<const fbInfoElement_t*, kSlots> elements_{};
  std::unordered_map<std::uint64_t, Slot> slots_;  // by enterprise and number
};

}  // namespace warpmeter::inline record
