// Which Information Element carries which column. Elements of IANA are known to libfixbuf by these names; our own are
// in data/warpmeter-elements.xml.
//
// Flow Key and times have elements of more than one form (IPv4 and IPv6, milliseconds and nanoseconds); they are
// written out where Templates are made and read.
#pragma once

#include <string_view>

#include "warpmeter/flow_counters.h"

namespace warpmeter::inline record {

// 32473 is kept for examples (RFC 5612): warpmeter has no number of its own yet. It stands here and in
// data/warpmeter-elements.xml only.
inline constexpr unsigned kEnterpriseNumber = 32473;

struct ColumnElement {
  std::string_view column;  // as in columns.h
  const char* element;
  bool own;  // of kEnterpriseNumber
};

#define WARPMETER_ELEMENT(name, protocols, unit, methods, title, element, registry) {#name, element, registry},
namespace elements_detail {
inline constexpr bool iana = false, own = true;  // the registries of the list of counters
inline constexpr ColumnElement kColumnElements[] = {
    WARPMETER_FIRST_COUNTERS(WARPMETER_ELEMENT)  //
    {"tcp_flags", "tcpControlBits", false},
    {"connection_bytes", "tcpConnectionOctetCount", true},
    {"connection_ns", "tcpConnectionNanoseconds", true},
    {"end_reason", "flowEndReason", false},
    WARPMETER_LATER_COUNTERS(WARPMETER_ELEMENT)  //
};
}  // namespace elements_detail
#undef WARPMETER_ELEMENT
using elements_detail::kColumnElements;

}  // namespace warpmeter::inline record
