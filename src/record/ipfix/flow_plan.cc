#include "record/ipfix/flow_plan.h"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>

#include "core/biflow_key.h"
#include "core/byte_order.h"
#include "record/ipfix/info_model.h"
#include "record/ipfix/message_builder.h"
#include "record/ipfix/record_shape.h"

namespace warpmeter::inline record {
namespace {

// Other fields that have the value of a column, the best first.
struct Alternative {
  std::string_view column;
  FlowField field;
};
constexpr Alternative kAlternatives[] = {
    {"packets", FlowField::total_packets},
    {"packets", FlowField::biflow_packets},
    {"bytes", FlowField::total_bytes},
    {"bytes", FlowField::biflow_bytes},
    {"retransmitted_segments", FlowField::other_retransmitted_packets},
    {"retransmitted_bytes", FlowField::other_retransmitted_bytes},
    {"out_of_order_segments", FlowField::other_out_of_order_packets},
    {"tcp_flags", FlowField::first_tcp_flags},
    {"tcp_flags", FlowField::further_tcp_flags},
};

void store_number(std::uint8_t (&to)[2], std::uint64_t value) {
  to[0] = static_cast<std::uint8_t>(value >> 8);
  to[1] = static_cast<std::uint8_t>(value);
}

bool is_icmp(const FlowKey& key) { return key.protocol == kProtocolIcmp || key.protocol == kProtocolIcmpV6; }

// What a file says may be any number: times are counted mod 2^64.
constexpr std::uint64_t kMicrosecond = 1'000, kMillisecond = 1'000'000, kSecond = 1'000'000'000;

std::uint64_t seconds_in_ns(std::int64_t seconds) { return static_cast<std::uint64_t>(seconds) * kSecond; }

// Seconds since 1970 of the NTP era in which the time is nearest to `near`, or from 1970 to 2106.
std::int64_t ntp_seconds(std::uint32_t ntp, std::optional<std::uint64_t> near_ms) {
  if (!near_ms) return static_cast<std::uint32_t>(ntp - static_cast<std::uint32_t>(kSecondsFrom1900To1970));
  const auto near = static_cast<std::int64_t>(*near_ms / 1000);
  return near + static_cast<std::int32_t>(ntp - static_cast<std::uint32_t>(near + kSecondsFrom1900To1970));
}

// Some exporters put something else in the field than an NTP timestamp.
bool contradicts(std::int64_t seconds, std::optional<std::uint64_t> ms) {
  if (!ms || *ms == 0) return false;  // 0: before 1970
  const std::int64_t difference = seconds - static_cast<std::int64_t>(*ms / 1000);
  return difference < -1 || difference > 1;
}

std::uint64_t ns_of_ntp(std::uint64_t ntp, std::optional<std::uint64_t> ms, bool microseconds) {
  const std::int64_t seconds = ntp_seconds(static_cast<std::uint32_t>(ntp >> 32), ms);
  if (contradicts(seconds, ms)) return *ms * kMillisecond;
  const std::uint64_t fraction = ntp & 0xffffffff;
  const std::uint64_t ns =
      microseconds ? ((fraction * 1'000'000 + (1u << 31)) >> 32) * kMicrosecond : fraction * kSecond >> 32;
  return seconds_in_ns(seconds) + ns;
}

}  // namespace

FlowPlan::FlowPlan(const FieldSet& known) : known_(known) {
  using enum FlowField;
  has_ipv4_ = first_of({source_ipv4, destination_ipv4}) != kNoSlot;
  has_ipv6_ = first_of({source_ipv6, destination_ipv6}) != kNoSlot;
  source_port_ = first_of({source_port, udp_source_port, tcp_source_port});
  destination_port_ = first_of({destination_port, udp_destination_port, tcp_destination_port});
  // Beside an annex, which has both tags, the key has its own element, or none.
  vlan_ = known_[slot_of(annex_fields)] ? first_of({FlowField::vlan})
                                        : first_of({FlowField::vlan, outer_vlan, customer_vlan});
  is_own_ = false;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    is_own_ |= kColumnElements[i].own && known_[slot_of_column(i, Direction::forward)];
  }
  plan_columns(forward_, Direction::forward);
  plan_times(forward_, Direction::forward);
  plan_columns(reverse_, Direction::reverse);
  plan_times(reverse_, Direction::reverse);
  const auto is_there = [](const ColumnSource& source) { return source.slot != kNoSlot; };
  has_reverse_ =
      is_there(reverse_.columns[column_number("packets")]) || is_there(reverse_.columns[column_number("bytes")]);
}

// The slot of the first one that is there.
Slot FlowPlan::first_of(std::initializer_list<FlowField> fields) const {
  for (const FlowField field : fields) {
    if (known_[slot_of(field)]) return slot_of(field);
  }
  return kNoSlot;
}

void FlowPlan::plan_columns(DirectionPlan& plan, Direction direction) const {
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    ColumnSource& source = plan.columns[i];
    if (const Slot own = slot_of_column(i, direction); known_[own]) source.slot = own;
    for (const Alternative& other : kAlternatives) {
      const Slot slot = slot_of(other.field, direction);
      if (other.column != kColumns[i].name || !known_[slot]) continue;
      if (source.slot == kNoSlot) {
        source.slot = slot;
      } else if (source.slot == slot_of(FlowField::first_tcp_flags, direction)) {
        source.more = slot;
      }
    }
    if (source.slot == kNoSlot) plan.absent |= std::uint32_t{1} << i;
  }
  if (is_own_) plan.absent &= ~kConnectionColumns;  // left out where they are not valid
}

void FlowPlan::plan_times(DirectionPlan& plan, Direction direction) const {
  using enum FlowField;
  constexpr std::tuple<Clock, FlowField, FlowField> kForms[] = {
      {Clock::nanoseconds, start_nanoseconds, end_nanoseconds},
      {Clock::microseconds, start_microseconds, end_microseconds},
      {Clock::milliseconds, start_milliseconds, end_milliseconds},
      {Clock::seconds, start_seconds, end_seconds},
      {Clock::delta, start_delta_us, end_delta_us},
      {Clock::uptime, start_uptime_ms, end_uptime_ms},
  };
  const auto known_slot = [&](FlowField field) {
    const Slot slot = slot_of(field, direction);
    return known_[slot] ? slot : kNoSlot;
  };
  for (const auto& [clock, start, end] : kForms) {
    if (plan.start.clock == Clock::none && known_slot(start) != kNoSlot) plan.start = {clock, known_slot(start)};
    if (plan.end.clock == Clock::none && known_slot(end) != kNoSlot) plan.end = {clock, known_slot(end)};
  }
  plan.start.milliseconds = known_slot(start_milliseconds);
  plan.end.milliseconds = known_slot(end_milliseconds);
  plan.duration_ms = known_slot(duration_ms);
  plan.duration_us = known_slot(duration_us);
}

// Templates for both have zeros in the addresses that do not apply.
bool FlowPlan::is_ipv6(const DecodedRecord& record) const {
  using enum FlowField;
  if (has_ipv4_ != has_ipv6_) return has_ipv6_;
  if (known_[slot_of(ip_version)]) return record.number(ip_version) == 6;
  return record.number(source_ipv4) == 0 && record.number(destination_ipv4) == 0;
}

std::uint64_t FlowPlan::icmp_type_code(const DecodedRecord& record, int version) const {
  using enum FlowField;
  const FlowField both = version == 6 ? icmp_type_code_v6 : icmp_type_code_v4;
  if (known_[slot_of(both)]) return record.number(both);
  return version == 6 ? record.number(icmp_type_v6) << 8 | record.number(icmp_code_v6)
                      : record.number(icmp_type_v4) << 8 | record.number(icmp_code_v4);
}

void FlowPlan::read_key(const DecodedRecord& record, FlowKey& key) const {
  using enum FlowField;
  if (is_ipv6(record)) {
    key.version = 6;
    std::memcpy(key.source, record.octets(slot_of(source_ipv6)), sizeof key.source);
    std::memcpy(key.destination, record.octets(slot_of(destination_ipv6)), sizeof key.destination);
  } else {
    key.version = 4;
    const auto store = [&](std::uint8_t* to, FlowField field) {
      const std::uint32_t address = byte_swap(static_cast<std::uint32_t>(record.number(field)));
      std::memcpy(to, &address, sizeof address);
    };
    store(key.source, source_ipv4);
    store(key.destination, destination_ipv4);
  }
  key.protocol = static_cast<std::uint8_t>(record.number(protocol));
  if (source_port_ != kNoSlot) store_number(key.source_port, record.number(source_port_));
  if (destination_port_ != kNoSlot) store_number(key.destination_port, record.number(destination_port_));
  if (is_icmp(key) && port_number(key.destination_port) == 0) {
    store_number(key.destination_port, icmp_type_code(record, key.version));
  }
  if (vlan_ != kNoSlot) store_number(key.vlan, record.number(vlan_));
}

std::optional<std::uint64_t> FlowPlan::time_of(const TimeSource& source, const DecodedRecord& record,
                                               const RecordContext& context) const {
  if (source.clock == Clock::none) return std::nullopt;
  const std::uint64_t value = record.number(source.slot);
  std::optional<std::uint64_t> ms;
  if (source.milliseconds != kNoSlot) ms = record.number(source.milliseconds);
  switch (source.clock) {
    case Clock::nanoseconds: return ns_of_ntp(value, ms, false);
    case Clock::microseconds: return ns_of_ntp(value, ms, true);
    case Clock::milliseconds: return value * kMillisecond;
    case Clock::seconds: return value * kSecond;
    case Clock::delta: return context.export_time * kSecond - value * kMicrosecond;
    default: {  // without the time of its start, times count from there
      const bool has_init = known_[slot_of(FlowField::system_init_ms)];
      const std::uint64_t init =
          has_init ? record.number(FlowField::system_init_ms) : context.system_init_ms.value_or(0);
      return (init + value) * kMillisecond;
    }
  }
}

void FlowPlan::read_times(const DirectionPlan& plan, const DecodedRecord& record, const RecordContext& context,
                          FlowRecord& flow) const {
  std::uint64_t duration = 0;
  if (plan.duration_ms != kNoSlot) duration = record.number(plan.duration_ms) * kMillisecond;
  if (plan.duration_us != kNoSlot) duration = record.number(plan.duration_us) * kMicrosecond;
  auto start = time_of(plan.start, record, context);
  auto end = time_of(plan.end, record, context);
  if (!start && !end) end = context.export_time * kSecond;
  if (!start) start = *end - duration;
  if (!end) end = *start + duration;
  flow.start_ns = static_cast<std::int64_t>(*start);
  flow.end_ns = static_cast<std::int64_t>(*end);
}

bool FlowPlan::read_columns(const DirectionPlan& plan, const DecodedRecord& record, FlowRecord& flow) {
  const bool tcp = flow.key.protocol == kProtocolTcp;
  flow.absent = tcp ? plan.absent : plan.absent & ~tcp_columns();
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const ColumnSource& source = plan.columns[i];
    if (source.slot == kNoSlot || (kColumns[i].tcp_only && !tcp)) continue;
    std::uint64_t value = record.number(source.slot);
    if (source.more != kNoSlot) value |= record.number(source.more);
    if (kColumns[i].unit == Unit::end_reason && (value < 1 || value > 5)) {
      flow.absent |= std::uint32_t{1} << i;
      continue;
    }
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return false;
    kColumns[i].set(flow, static_cast<std::int64_t>(value));
  }
  return true;
}

// Without the field that tells which values there are, the others are not of an annex.
std::uint32_t FlowPlan::annex_fields(Direction direction) const {
  std::uint32_t fields = 0;
  if (!known_[slot_of(FlowField::annex_fields, direction)]) return fields;
  for (std::size_t i = 0; i < kAnnexFields; ++i) {
    const auto field = static_cast<AnnexField>(i);
    if (known_[slot_of(field_of(field), direction)]) fields |= bit_of(field);
  }
  return fields;
}

ExtraColumns FlowPlan::annexes() const {
  return annex_columns(annex_fields(Direction::forward), annex_fields(Direction::reverse));
}

// False: it cannot be.
bool FlowPlan::read_annex(const DecodedRecord& record, AnnexField field, Direction direction, Annex& annex) {
  constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255};
  constexpr int kBehindLabel = 4;
  const Slot slot = slot_of(field_of(field), direction);
  const std::uint64_t number = record.number(slot);
  const std::uint8_t* const octets = record.octets(slot);
  const auto put_mac = [&](std::uint8_t(&mac)[6]) {
    for (std::size_t i = 0; i < sizeof mac; ++i) mac[i] = static_cast<std::uint8_t>(number >> 8 * (5 - i));
  };
  const auto put_address = [&](std::uint8_t(&address)[16]) {
    annex.outer_version = std::memcmp(octets, kMapped, sizeof kMapped) == 0 ? 4 : 6;
    if (annex.outer_version == 4) std::memcpy(address, octets + sizeof kMapped, 4);
    else std::memcpy(address, octets, sizeof address);
  };
  switch (field) {
    case AnnexField::src_mac: put_mac(annex.src_mac); break;
    case AnnexField::dst_mac: put_mac(annex.dst_mac); break;
    case AnnexField::outer_src_addr: put_address(annex.outer_src); break;
    case AnnexField::outer_dst_addr: put_address(annex.outer_dst); break;
    case AnnexField::mpls_label: return annex.set_number(field, static_cast<std::int64_t>(number >> kBehindLabel));
    case AnnexField::syn_options: return annex.set_text(field, {reinterpret_cast<const char*>(octets), number});
    case AnnexField::tunnel:
      if (number == 0 || number >= kTunnelKinds) return false;
      annex.tunnel = static_cast<std::uint8_t>(number);
      break;
    default: return number <= UINT32_MAX && annex.set_number(field, static_cast<std::int64_t>(number));
  }
  annex.set(field);
  return true;
}

// A value that cannot be is none.
void FlowPlan::read_annexes(const DecodedRecord& record, bool has_reverse, Annotations& to) const {
  for (const Direction direction : {Direction::forward, Direction::reverse}) {
    const bool reverse = direction == Direction::reverse;
    if (reverse && !has_reverse) continue;
    const std::uint64_t has = record.number(slot_of(FlowField::annex_fields, direction)) & annex_fields(direction);
    Annex annex;
    for (std::size_t i = 0; i < kAnnexFields; ++i) {
      if (has >> i & 1) read_annex(record, static_cast<AnnexField>(i), direction, annex);
    }
    if (annex.has) to.add_annex(reverse, annex);
  }
}

bool FlowPlan::read(const DecodedRecord& record, const RecordContext& context, Biflow& flow) const {
  flow = {};
  read_key(record, flow.forward.key);
  read_times(forward_, record, context, flow.forward);
  if (!read_columns(forward_, record, flow.forward)) return false;
  flow.forward.arrival = record.number(slot_of(FlowField::first_packet));
  if (!has_reverse_) return true;

  FlowRecord& reverse = flow.reverse;
  reverse.key = key_of_answers(flow.forward.key);
  if (!read_columns(reverse_, record, reverse)) return false;
  reverse.arrival = record.number(slot_of(FlowField::first_packet, Direction::reverse));
  flow.has_reverse = is_own_ || reverse.packets > 0 || reverse.bytes > 0;
  if (!flow.has_reverse) return true;
  if (reverse_.start.clock != Clock::none || reverse_.end.clock != Clock::none) {
    read_times(reverse_, record, context, reverse);
    return true;
  }
  const std::uint64_t delay = record.number(slot_of(FlowField::reverse_delay_ms, Direction::reverse)) * kMillisecond;
  reverse.start_ns = static_cast<std::int64_t>(static_cast<std::uint64_t>(flow.forward.start_ns) + delay);
  reverse.end_ns = flow.forward.end_ns;
  return true;
}

}  // namespace warpmeter::inline record
