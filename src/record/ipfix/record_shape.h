// Which fields a Flow Record has: records of one shape have one Template. What does not apply to a record is not in its
// Template, so that reading back gives nothing for it, as other formats do.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "core/record_layout.h"
#include "record/ipfix/ipfix_options.h"
#include "record/ipfix/template_field.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline record {

enum class Reverse : std::uint8_t { none, without_connection, with_connection };

struct RecordShape {
  bool ipv6 = false;
  bool tcp = false;
  bool connection = false;  // connection_bytes and connection_ns are valid
  bool wide = false;        // a counter does not fit in 4 octets (reduced-size encoding: RFC 7011, section 6.2)
  bool egress = false;      // observed where this host sends it, not where it comes in
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

  // In the order of the Template.
  Fields fields_of(const RecordShape& shape) const;

 private:
  bool has_connection(const FlowRecord& record) const;
  void add_key(Fields& fields, const RecordShape& shape) const;
  void add_direction(Fields& fields, const RecordShape& shape, bool reverse) const;

  const RecordLayout layout_;
  const IpfixProfile profile_;
  std::uint32_t used_ = 0;  // columns that the profile has an element for
};

}  // namespace warpmeter::inline record
