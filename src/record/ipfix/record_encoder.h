// Data Records in the octets of their Template, straight from Flow Records.
//
// Templates and type information are libfixbuf's work. Data Records are not: its transcoder takes three times as long,
// since it looks up anew how every field goes over (bench/ipfix.cc). tests/record/ipfix/ holds both against each other,
// octet by octet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/observed_points.h"
#include "record/ipfix/record_shape.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline record {

class RecordEncoder {
 public:
  // `observed`: not owned; null if no field tells where flows were observed.
  explicit RecordEncoder(const Fields& fields, const ObservedPoints* observed = nullptr);

  // Octets of a Data Record.
  std::size_t length() const { return length_; }

  // Writes length() octets to `to`. `reverse` may be null if no field is of it. REQUIRES: the fields are those of the
  // records' shape (record_shape.h), or what does not apply is written as 0.
  void encode(const FlowRecord& record, const FlowRecord* reverse, std::uint8_t* to) const;

 private:
  struct Step {
    FieldKind kind;
    bool of_reverse;
    std::uint16_t at;
  };
  std::vector<Step> steps_;
  const ObservedPoints* observed_;
  std::size_t length_ = 0;
};

}  // namespace warpmeter::inline record
