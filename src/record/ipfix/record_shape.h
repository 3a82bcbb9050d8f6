// Which fields a Flow Record has: records of one shape have one Template. What does not apply to a record is not in its
// Template, so that reading back gives nothing for it, as other formats do.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/record_layout.h"
#include "record/ipfix/ipfix_options.h"
#include "warpmeter/columns.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline record {

// Sets of kColumns, bit i for column i: one, those of connections, and those that only TCP has.
constexpr std::uint32_t column_bit(std::string_view name) { return std::uint32_t{1} << column_number(name); }
constexpr std::uint32_t kConnectionColumns = column_bit("connection_bytes") | column_bit("connection_ns");
constexpr std::uint32_t tcp_columns() {
  std::uint32_t columns = 0;
  for (std::size_t i = 0; i < kColumns.size(); ++i) columns |= std::uint32_t{kColumns[i].tcp_only} << i;
  return columns;
}

// How the value gets into the Data Record.
enum class FieldKind : std::uint8_t {
  copy1,         // octets of the record that are in network byte order already, from `at` on
  copy2,         //
  copy4,         //
  copy16,        //
  milliseconds,  // the time that stands at `at`, dateTimeMilliseconds
  ntp,           // ... dateTimeNanoseconds
  number1,       // the value of column `at`, as unsigned number
  number4,       //
  number8,       //
  capped4,       // ... 2^32 - 1 if it is larger
  initiator,     // biflowDirection: the record's source opened the connection
  interface,     // where the flow was observed (core/observed_points.h): ifIndex
  direction,     // flowDirection: 0 ingress, 1 egress
  added8,        // the number that an option adds: column `at` of the layout, 0 without one
  text,          // of variable length, behind all others: what is noted for column `at`
  only_label,    // ... the label, where the list `at` has exactly one
  labels,        // ... a basicList (RFC 6313) of the list, empty where it has exactly one
  label_number,  // behind all others as well: the number of the first label of the list that has one, else 0
  annex1,        // ... the value of the annex that column `at` has, in so many octets, 0 without one
  annex2,
  annex3,
  annex4,
  annex6,
  annex16,
  annex_text,    // of variable length
  annex_fields,  // which values of the annex there are, of the direction of column `at`
};

constexpr bool is_noted(FieldKind kind) {
  return kind == FieldKind::text || kind == FieldKind::only_label || kind == FieldKind::labels ||
         kind == FieldKind::label_number || kind >= FieldKind::annex1;
}

// Which Information Element, in how many octets, and where its value comes from.
struct TemplateField {
  std::string element;
  FieldKind kind;
  bool of_reverse;  // of the other direction's record
  std::uint16_t
      at;  // octets into FlowRecord, or number of the column; of what is noted or added, its place in the layout
};

using Fields = std::vector<TemplateField>;

// In Templates.
constexpr std::uint16_t length_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::text:
    case FieldKind::only_label:
    case FieldKind::annex_text:
    case FieldKind::labels: return 65535;  // variable (RFC 7011, section 7)
    case FieldKind::copy2:
    case FieldKind::annex2:
    case FieldKind::label_number: return 2;
    case FieldKind::copy4:
    case FieldKind::number4:
    case FieldKind::interface:
    case FieldKind::annex4:
    case FieldKind::annex_fields:
    case FieldKind::capped4: return 4;
    case FieldKind::annex3: return 3;
    case FieldKind::annex6: return 6;
    case FieldKind::annex16:
    case FieldKind::copy16: return 16;
    case FieldKind::milliseconds:
    case FieldKind::ntp:
    case FieldKind::added8:
    case FieldKind::number8: return 8;
    default: return 1;
  }
}

// Of each AnnexField. All can be reversed (RFC 5103).
struct AnnexElement {
  const char* element;
  FieldKind kind;
  bool own;  // of kEnterpriseNumber
};
inline constexpr const char* kAnnexFieldsElement = "annexFields";
inline constexpr AnnexElement kAnnexElements[] = {
    {"sourceMacAddress", FieldKind::annex6, false},
    {"destinationMacAddress", FieldKind::annex6, false},
    {"dot1qVlanId", FieldKind::annex2, false},
    {"dot1qCustomerVlanId", FieldKind::annex2, false},
    {"mplsTopLabelStackSection", FieldKind::annex3, false},
    {"tunnelKind", FieldKind::annex1, true},
    {"tunnelIdentifier", FieldKind::annex4, true},
    {"tunnelSourceAddress", FieldKind::annex16, true},
    {"tunnelDestinationAddress", FieldKind::annex16, true},
    {"ipTTL", FieldKind::annex1, false},
    {"ipDiffServCodePoint", FieldKind::annex1, false},
    {"ipCongestionNotification", FieldKind::annex1, true},
    {"firstPacketTcpControlBits", FieldKind::annex1, true},
    {"synMaximumSegmentSize", FieldKind::annex2, true},
    {"tcpWindowScale", FieldKind::annex2, false},
    {"synSackPermitted", FieldKind::annex1, true},
    {"synTimestamps", FieldKind::annex1, true},
    {"tcpWindowSize", FieldKind::annex2, false},
    {"synOptionKinds", FieldKind::annex_text, true},
};
static_assert(std::size(kAnnexElements) == kAnnexFields);

enum class Reverse : std::uint8_t { none, without_connection, with_connection };

struct RecordShape {
  bool ipv6 = false;
  bool tcp = false;
  bool connection = false;  // connection_bytes and connection_ns are valid
  bool wide = false;        // a counter does not fit in 4 octets (reduced-size encoding: RFC 7011, section 6.2)
  bool egress = false;      // observed where this host sends it, not where it comes in
  bool handshake = false;   // asked for, and there was one
  Reverse reverse = Reverse::none;
  std::uint32_t absent = 0;  // columns, as FlowRecord::absent
  std::uint32_t reverse_absent = 0;

  auto operator<=>(const RecordShape&) const = default;
};

// Of the layout and profile, for all records.
class ShapeRules {
 public:
  ShapeRules(const RecordLayout& layout, IpfixProfile profile);

  // `reverse`: null if there is none. Two records have the same shape only if they have the same fields.
  RecordShape shape_of(const FlowRecord& record, const FlowRecord* reverse) const;

  // All shapes but those of records that lack columns of their own (FlowRecord::absent).
  std::vector<RecordShape> usual_shapes() const;

  const ObservedPoints* observed() const { return layout_.observed; }  // null: nobody knows
  const ExtraColumns& extra() const { return layout_.extra; }

  // In the order of the Template.
  Fields fields_of(const RecordShape& shape) const;

 private:
  bool has_connection(const FlowRecord& record) const;
  void add_key(Fields& fields, const RecordShape& shape) const;
  void add_direction(Fields& fields, const RecordShape& shape, bool reverse) const;
  void add_numbers(Fields& fields, const RecordShape& shape) const;
  void add_annotations(Fields& fields) const;
  void add_annexes(Fields& fields, const RecordShape& shape) const;

  const RecordLayout layout_;
  const IpfixProfile profile_;
  std::uint32_t used_ = 0;                  // columns that the profile has an element for
  const ExtraColumn* handshake_ = nullptr;  // in the layout, where it is asked for
};

}  // namespace warpmeter::inline record
