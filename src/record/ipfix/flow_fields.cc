#include "record/ipfix/flow_fields.h"

#include <iterator>
#include <string>

#include "record/ipfix/info_model.h"
#include "record/ipfix/record_shape.h"

namespace warpmeter::inline record {
namespace {

constexpr std::uint32_t kYaf = kYafNumber;
constexpr std::uint32_t kNtop = 35'632;

struct Carrier {
  FlowField field;
  std::uint32_t enterprise;
  std::uint16_t number;
  Direction direction = Direction::forward;
};

constexpr Carrier kCarriers[] = {
    {FlowField::source_ipv4, 0, 8},
    {FlowField::destination_ipv4, 0, 12},
    {FlowField::source_ipv6, 0, 27},
    {FlowField::destination_ipv6, 0, 28},
    {FlowField::ip_version, 0, 60},
    {FlowField::protocol, 0, 4},
    {FlowField::source_port, 0, 7},
    {FlowField::destination_port, 0, 11},
    {FlowField::udp_source_port, 0, 180},
    {FlowField::udp_destination_port, 0, 181},
    {FlowField::tcp_source_port, 0, 182},
    {FlowField::tcp_destination_port, 0, 183},
    {FlowField::icmp_type_code_v4, 0, 32},
    {FlowField::icmp_type_code_v6, 0, 139},
    {FlowField::icmp_type_v4, 0, 176},
    {FlowField::icmp_code_v4, 0, 177},
    {FlowField::icmp_type_v6, 0, 178},
    {FlowField::icmp_code_v6, 0, 179},
    {FlowField::vlan, 0, 58},
    {FlowField::system_init_ms, 0, 160},
    {FlowField::biflow_packets, 0, 298},
    {FlowField::biflow_packets, 0, 299, Direction::reverse},
    {FlowField::biflow_bytes, 0, 231},
    {FlowField::biflow_bytes, 0, 232, Direction::reverse},
    {FlowField::reverse_delay_ms, kYaf, 21, Direction::reverse},
    {FlowField::first_tcp_flags, kYaf, 14},
    {FlowField::first_tcp_flags, kYaf, 14 | FB_IE_VENDOR_BIT_REVERSE, Direction::reverse},
    {FlowField::further_tcp_flags, kYaf, 15},
    {FlowField::further_tcp_flags, kYaf, 15 | FB_IE_VENDOR_BIT_REVERSE, Direction::reverse},
    {FlowField::first_packet, kOwnNumber, 15},
    {FlowField::first_packet, kOwnNumber, 15 | FB_IE_VENDOR_BIT_REVERSE, Direction::reverse},
    {FlowField::other_retransmitted_packets, kNtop, 109},
    {FlowField::other_retransmitted_packets, kNtop, 110, Direction::reverse},
    {FlowField::other_out_of_order_packets, kNtop, 111},
    {FlowField::other_out_of_order_packets, kNtop, 112, Direction::reverse},
    {FlowField::other_retransmitted_bytes, kNtop, 127},
    {FlowField::other_retransmitted_bytes, kNtop, 128, Direction::reverse},
};

// Of IANA, with a reverse one of the same number.
constexpr Carrier kBothDirections[] = {
    {FlowField::start_nanoseconds, 0, 156},  {FlowField::end_nanoseconds, 0, 157},
    {FlowField::start_microseconds, 0, 154}, {FlowField::end_microseconds, 0, 155},
    {FlowField::start_milliseconds, 0, 152}, {FlowField::end_milliseconds, 0, 153},
    {FlowField::start_seconds, 0, 150},      {FlowField::end_seconds, 0, 151},
    {FlowField::start_delta_us, 0, 158},     {FlowField::end_delta_us, 0, 159},
    {FlowField::start_uptime_ms, 0, 22},     {FlowField::end_uptime_ms, 0, 21},
    {FlowField::duration_ms, 0, 161},        {FlowField::duration_us, 0, 162},
    {FlowField::total_packets, 0, 86},       {FlowField::total_bytes, 0, 85},
    {FlowField::outer_vlan, 0, 243},         {FlowField::customer_vlan, 0, 245},
};

void add_elements_of_yaf(InfoModel& model) {
  char first[] = "initialTCPFlags", further[] = "unionTCPFlags", delay[] = "reverseFlowDeltaMilliseconds";
  fbInfoElement_t elements[] = {
      FB_IE_INIT_FULL(first, kYaf, 14, 1, FB_IE_F_ENDIAN | FB_IE_F_REVERSIBLE, 0, 0, FB_UINT_8, nullptr),
      FB_IE_INIT_FULL(further, kYaf, 15, 1, FB_IE_F_ENDIAN | FB_IE_F_REVERSIBLE, 0, 0, FB_UINT_8, nullptr),
      FB_IE_INIT_FULL(delay, kYaf, 21, 4, FB_IE_F_ENDIAN, 0, 0, FB_UINT_32, nullptr)};
  for (fbInfoElement_t& element : elements) fbInfoModelAddElement(model.get(), &element);
}

std::uint64_t id_of(std::uint32_t enterprise, std::uint16_t number) { return std::uint64_t{enterprise} << 16 | number; }

bool can_have_length(const fbInfoElement_t& element, std::uint16_t length) {
  switch (element.type) {
    case FB_UINT_8:
    case FB_UINT_16:
    case FB_UINT_32:
    case FB_UINT_64:
      return length >= 1 && length <= 8;  // RFC 7011, section 6.2; some exporters send more octets than the type has
    case FB_OCTET_ARRAY: return length == 3;  // of those that are known, a label of MPLS
    default: return length == element.len;
  }
}

}  // namespace

FlowFields::FlowFields(InfoModel& model) {
  add_elements_of_yaf(model);
  const auto add = [this](Slot slot, const fbInfoElement_t* element) {
    if (!element) return;  // not reversible
    elements_[slot] = element;
    slots_[id_of(element->ent, element->num)] = slot;
  };
  for (std::size_t column = 0; column < std::size(kColumnElements); ++column) {
    for (const Direction direction : {Direction::forward, Direction::reverse}) {
      add(slot_of_column(column, direction), model.element(kColumnElements[column], direction == Direction::reverse));
    }
  }
  for (const Carrier& c : kCarriers) {
    add(slot_of(c.field, c.direction), fbInfoModelGetElementByID(model.get(), c.number, c.enterprise));
  }
  const auto add_text = [&](std::size_t field, const TextElement& text) {
    add(slot_of(static_cast<FlowField>(field)), fbInfoModelGetElementByID(model.get(), text.number, text.enterprise));
  };
  add_text(static_cast<std::size_t>(FlowField::application_name), kApplicationName);
  add_text(static_cast<std::size_t>(FlowField::application_name_list), kApplicationNameList);
  for (std::size_t i = 0; i < std::size(kFieldElements); ++i) {
    add_text(static_cast<std::size_t>(FlowField::first_text) + i, kFieldElements[i]);
  }
  for (std::uint16_t i = 0; i < kMostOwnTexts; ++i) {
    std::string name = "ownText" + std::to_string(i);
    const auto number = static_cast<std::uint16_t>(kFirstOwnText + i);
    fbInfoElement_t element =
        FB_IE_INIT_FULL(name.data(), kOwnNumber, number, FB_IE_VARLEN, 0, 0, 0, FB_STRING, nullptr);
    fbInfoModelAddElement(model.get(), &element);
    add_text(static_cast<std::size_t>(FlowField::first_own_text) + i, {{}, nullptr, kOwnNumber, number});
  }
  const auto add_annex = [&](FlowField field, const AnnexElement& element) {
    const ColumnElement both{{}, element.element, element.own};
    add(slot_of(field), model.element(both));
    add(slot_of(field, Direction::reverse), model.element(both, true));
  };
  for (std::size_t i = 0; i < kAnnexFields; ++i) add_annex(field_of(static_cast<AnnexField>(i)), kAnnexElements[i]);
  add_annex(FlowField::annex_fields, {kAnnexFieldsElement, FieldKind::annex_fields, true});
  for (const Carrier& c : kBothDirections) {
    add(slot_of(c.field), fbInfoModelGetElementByID(model.get(), c.number, 0));
    add(slot_of(c.field, Direction::reverse), fbInfoModelGetElementByID(model.get(), c.number, FB_IE_PEN_REVERSE));
  }
}

Slot FlowFields::find(const FieldSpecifier& field) const {
  const auto found = slots_.find(id_of(field.enterprise, field.number));
  if (found == slots_.end() || !can_have_length(*elements_[found->second], field.length)) return kNoSlot;
  return found->second;
}

}  // namespace warpmeter::inline record
