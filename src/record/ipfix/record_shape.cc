#include "record/ipfix/record_shape.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/observed_points.h"
#include "record/ipfix/info_model.h"
#include "warpmeter/columns.h"
#include "warpmeter/flow_counters.h"

namespace warpmeter::inline record {
namespace {

// ntop's elements of a direction, all for TCP.
struct NtopElement {
  std::string_view column;
  const char* in;
  const char* out;
};
constexpr NtopElement kNtopElements[] = {
    {"retransmitted_segments", "RETRANSMITTED_IN_PKTS", "RETRANSMITTED_OUT_PKTS"},
    {"retransmitted_bytes", "RETRANSMITTED_IN_BYTES", "RETRANSMITTED_OUT_BYTES"},
    {"out_of_order_segments", "OOORDER_IN_PKTS", "OOORDER_OUT_PKTS"},
};

const NtopElement* ntop_element(std::string_view column) {
  for (const NtopElement& element : kNtopElements) {
    if (element.column == column) return &element;
  }
  return nullptr;
}

// As RFC 5103 (section 6) names them.
std::string name_of(const char* element, bool reverse) {
  std::string name = element;
  if (!reverse) return name;
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "reverse" + name;
}

// Of what options add and an element carries.
struct AddedElement {
  std::string_view column;
  const char* element;
  bool of_reverse;
};
constexpr AddedElement kAddedElements[] = {
    {kFirstPacketColumn, "firstPacketNumber", false},
    {"reverse_first_packet", "firstPacketNumber", true},
    {time_names(TimeForm::ns).handshake, "tcpHandshakeNanoseconds", false},
};

bool has_wide_counter(const FlowRecord& r, bool connection) {
#define WARPMETER_OR(name, ...) | r.name
  std::uint64_t all = 0 WARPMETER_FLOW_COUNTERS(WARPMETER_OR);
#undef WARPMETER_OR
  if (connection) all |= static_cast<std::uint64_t>(r.connection_bytes) | static_cast<std::uint64_t>(r.connection_ns);
  return all >> 32 != 0;
}

FieldKind kind_of(const Column& column, bool wide) {
  if (column.unit == Unit::flags || column.unit == Unit::end_reason) return FieldKind::number1;
  return wide ? FieldKind::number8 : FieldKind::number4;
}

}  // namespace

ShapeRules::ShapeRules(const RecordLayout& layout, IpfixProfile profile)
    : layout_(with_times(layout, TimeForm::ns)), profile_(profile) {
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const bool of_ntop = profile == IpfixProfile::ntop && ntop_element(kColumns[i].name);
    const bool used = profile == IpfixProfile::everything || !kColumnElements[i].own || of_ntop;
    used_ |= std::uint32_t{used} << i;
  }
  for (const auto& column : layout_.extra) {
    const bool is_it = column->name() == time_names(TimeForm::ns).handshake;
    if (is_it && profile == IpfixProfile::everything) handshake_ = column.get();
  }
}

bool ShapeRules::has_connection(const FlowRecord& record) const {
  if (record.key.protocol != kProtocolTcp || !(record.flags & kHasConnection)) return false;
  return (kConnectionColumns & used_ & ~(layout_.absent | record.absent)) != 0;
}

RecordShape ShapeRules::shape_of(const FlowRecord& record, const FlowRecord* reverse) const {
  RecordShape shape;
  shape.ipv6 = record.key.version == 6;
  shape.tcp = record.key.protocol == kProtocolTcp;
  shape.connection = has_connection(record);
  shape.wide = has_wide_counter(record, shape.connection);
  shape.egress = layout_.observed && layout_.observed->of(record.arrival).egress;
  const std::uint32_t counted = used_ & ~layout_.absent & (shape.tcp ? ~0u : ~tcp_columns());
  shape.absent = record.absent & counted;
  if (!shape.connection) shape.absent &= ~kConnectionColumns;
  if (!layout_.biflow || !reverse) return shape;
  shape.handshake = handshake_ && shape.tcp && handshake_->number(record, reverse);
  const bool connection = shape.tcp && has_connection(*reverse);
  shape.reverse = connection ? Reverse::with_connection : Reverse::without_connection;
  shape.wide |= has_wide_counter(*reverse, connection);
  shape.reverse_absent = reverse->absent & counted;
  if (!connection) shape.reverse_absent &= ~kConnectionColumns;
  return shape;
}

std::vector<RecordShape> ShapeRules::usual_shapes() const {
  const bool connections = (kConnectionColumns & used_ & ~layout_.absent) != 0;
  std::vector<RecordShape> shapes;
  for (int bits = 0; bits < 64; ++bits) {
    RecordShape shape;
    shape.handshake = bits & 32;
    shape.egress = bits & 16;
    if (shape.egress && !layout_.observed) continue;
    shape.ipv6 = bits & 8;
    shape.tcp = bits & 4;
    shape.connection = bits & 2;
    shape.wide = bits & 1;
    if (shape.connection && !(shape.tcp && connections)) continue;
    if (shape.handshake && !(handshake_ && shape.tcp && layout_.biflow)) continue;
    for (const Reverse reverse : {Reverse::none, Reverse::without_connection, Reverse::with_connection}) {
      if (reverse != Reverse::none && !layout_.biflow) continue;
      if (reverse == Reverse::none && shape.handshake) continue;
      if (reverse == Reverse::with_connection && !(shape.tcp && connections)) continue;
      shape.reverse = reverse;
      shapes.push_back(shape);
    }
  }
  return shapes;
}

void ShapeRules::add_key(Fields& fields, const RecordShape& shape) const {
  const auto add = [&fields](const char* element, FieldKind kind, std::size_t at) {
    fields.push_back({element, kind, false, static_cast<std::uint16_t>(offsetof(FlowRecord, key) + at)});
  };
  const FieldKind address = shape.ipv6 ? FieldKind::copy16 : FieldKind::copy4;
  add(shape.ipv6 ? "sourceIPv6Address" : "sourceIPv4Address", address, offsetof(FlowKey, source));
  add(shape.ipv6 ? "destinationIPv6Address" : "destinationIPv4Address", address, offsetof(FlowKey, destination));
  add("sourceTransportPort", FieldKind::copy2, offsetof(FlowKey, source_port));
  add("destinationTransportPort", FieldKind::copy2, offsetof(FlowKey, destination_port));
  add("protocolIdentifier", FieldKind::copy1, offsetof(FlowKey, protocol));
  add("ipVersion", FieldKind::copy1, offsetof(FlowKey, version));
  if (layout_.vlan) add("vlanId", FieldKind::copy2, offsetof(FlowKey, vlan));
  if (!layout_.observed) return;
  // Only the one that is known: there are collectors that refuse an interface 0.
  add(shape.egress ? "egressInterface" : "ingressInterface", FieldKind::interface, 0);
  add("flowDirection", FieldKind::direction, 0);
}

void ShapeRules::add_direction(Fields& fields, const RecordShape& shape, bool reverse) const {
  const auto add = [&](const char* element, FieldKind kind, std::size_t at) {
    fields.push_back({name_of(element, reverse), kind, reverse, static_cast<std::uint16_t>(at)});
  };
  add("flowStartMilliseconds", FieldKind::milliseconds, offsetof(FlowRecord, start_ns));
  add("flowEndMilliseconds", FieldKind::milliseconds, offsetof(FlowRecord, end_ns));
  add("flowStartNanoseconds", FieldKind::ntp, offsetof(FlowRecord, start_ns));
  add("flowEndNanoseconds", FieldKind::ntp, offsetof(FlowRecord, end_ns));
  const bool connection = reverse ? shape.reverse == Reverse::with_connection : shape.connection;
  std::uint32_t columns = used_ & ~layout_.absent & ~(reverse ? shape.reverse_absent : shape.absent);
  if (!shape.tcp) columns &= ~tcp_columns();
  if (!connection) columns &= ~kConnectionColumns;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    if (!(columns >> i & 1)) continue;
    if (profile_ != IpfixProfile::everything && kColumnElements[i].own) {
      const NtopElement* ntop = ntop_element(kColumns[i].name);
      fields.push_back({reverse ? ntop->out : ntop->in, FieldKind::capped4, reverse, static_cast<std::uint16_t>(i)});
      continue;
    }
    add(kColumnElements[i].element, kind_of(kColumns[i], shape.wide), i);
  }
}

// The other direction stands first: nfdump takes whichever tcpControlBits come last for the flow's.
Fields ShapeRules::fields_of(const RecordShape& shape) const {
  Fields fields;
  add_key(fields, shape);
  if (shape.reverse != Reverse::none) {
    fields.push_back({"biflowDirection", FieldKind::initiator, false, 0});
    add_direction(fields, shape, true);
  }
  add_direction(fields, shape, false);
  if (profile_ == IpfixProfile::everything) add_numbers(fields, shape);
  add_annotations(fields);
  add_annexes(fields, shape);
  return fields;
}

// The same for all records of a shape, the other direction's first. What a flow does not have is 0, and not among those
// that the last field of a direction tells.
void ShapeRules::add_annexes(Fields& fields, const RecordShape& shape) const {
  for (const bool reverse : {true, false}) {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < layout_.extra.size(); ++i) {
      const std::optional<AnnexField> field = layout_.extra[i]->annex();
      if (!field || layout_.extra[i]->is_reverse() != reverse) continue;
      const AnnexElement& element = kAnnexElements[static_cast<std::size_t>(*field)];
      // Without that field dot1qVlanId would be read as the VLAN id of the Flow Key.
      const bool is_key_elsewhere = *field == AnnexField::outer_vlan_id || *field == AnnexField::inner_vlan_id;
      const bool is_used = profile_ == IpfixProfile::everything || (!element.own && !is_key_elsewhere);
      if (!is_used || (reverse && shape.reverse == Reverse::none)) continue;
      fields.push_back({name_of(element.element, reverse), element.kind, false, static_cast<std::uint16_t>(i)});
      last = i;
    }
    if (!last || profile_ != IpfixProfile::everything) continue;
    fields.push_back(
        {name_of(kAnnexFieldsElement, reverse), FieldKind::annex_fields, false, static_cast<std::uint16_t>(*last)});
  }
}

void ShapeRules::add_numbers(Fields& fields, const RecordShape& shape) const {
  for (std::size_t i = 0; i < layout_.extra.size(); ++i) {
    const ExtraColumn& column = *layout_.extra[i];
    const auto known = std::ranges::find(kAddedElements, column.name(), &AddedElement::column);
    if (!column.is_number() || known == std::end(kAddedElements)) continue;
    const bool applies = &column == handshake_ ? shape.handshake : !known->of_reverse || shape.reverse != Reverse::none;
    if (!applies) continue;
    fields.push_back(
        {name_of(known->element, known->of_reverse), FieldKind::added8, false, static_cast<std::uint16_t>(i)});
  }
}

// The same for all records: what a flow does not have takes an octet or two.
void ShapeRules::add_annotations(Fields& fields) const {
  const auto add = [&](std::string element, FieldKind kind, std::size_t at) {
    fields.push_back({std::move(element), kind, false, static_cast<std::uint16_t>(at)});
  };
  for (std::size_t i = 0; i < layout_.extra.size(); ++i) {
    if (!layout_.extra[i]->annotation() || !layout_.extra[i]->is_list()) continue;
    add(kApplicationName.element, FieldKind::only_label, i);
    if (!is_in(profile_, kApplicationNameList)) continue;
    add(kApplicationNameList.element, FieldKind::labels, i);
    add(kSilkAppLabel, FieldKind::label_number, i);
  }
  for (ColumnText& text : column_texts(layout_.extra, profile_)) add(std::move(text.element), FieldKind::text, text.at);
}

}  // namespace warpmeter::inline record
