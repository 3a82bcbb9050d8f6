// A field of a Template: which Information Element, in how many octets, and where its value comes from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmeter::inline record {

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
};

struct TemplateField {
  std::string element;
  FieldKind kind;
  bool of_reverse;   // of the other direction's record
  std::uint16_t at;  // octets into FlowRecord, or number of the column
};

using Fields = std::vector<TemplateField>;

constexpr std::uint16_t length_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::copy2: return 2;
    case FieldKind::copy4:
    case FieldKind::number4:
    case FieldKind::interface:
    case FieldKind::capped4: return 4;
    case FieldKind::copy16: return 16;
    case FieldKind::milliseconds:
    case FieldKind::ntp:
    case FieldKind::number8: return 8;
    default: return 1;
  }
}

}  // namespace warpmeter::inline record
