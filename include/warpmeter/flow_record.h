// A Flow Record: what is exported of a flow. Trivially copyable.
#pragma once

#include <cstdint>
#include <type_traits>

#include "warpmeter/end_reason.h"
#include "warpmeter/flow_counters.h"
#include "warpmeter/flow_key.h"
#include "warpmeter/hd.h"

namespace warpmeter {

enum RecordFlags : std::uint8_t {
  kHasConnection = 1,  // connection_bytes and connection_ns are valid
  kOpener = 2,         // a SYN without ACK was seen: this is the initiator's direction
  kAnswerer = 4,       // its first packet was a SYN+ACK: the other direction is the initiator's
  kIsAnnotation = 8,   // no flow, but what is noted of one, on its way through sorted runs; never exported
};

struct FlowRecord {
  FlowKey key;
  std::int64_t start_ns = 0;  // earliest packet time
  std::int64_t end_ns = 0;    // latest packet time
  std::uint64_t arrival = 0;  // number of the first packet, or a later one (arrival_behind() of flow_rules.h): makes
                              // the output order total. Of files that are read, 0 where they do not tell

#define WARPMETER_MEMBER(name, ...) std::uint64_t name = 0;
  WARPMETER_FLOW_COUNTERS(WARPMETER_MEMBER)
#undef WARPMETER_MEMBER

  std::int64_t connection_bytes = 0;
  std::int64_t connection_ns = 0;

  std::int64_t first_ns = 0;   // time of the first packet in trace order, which tells who began
  std::uint32_t absent = 0;    // columns whose values the source did not know (columns.h)
  std::uint8_t tcp_flags = 0;  // OR
  EndReason end_reason = EndReason::forced;
  std::uint8_t flags = 0;  // RecordFlags bits
  std::uint8_t reserved = 0;
};
static_assert(sizeof(FlowRecord) == 96 + 8 * kFlowCounters && std::is_trivially_copyable_v<FlowRecord>);

// Orders of Flow Records; negative, zero or positive, total because arrival is unique.
using RecordOrder = int (*)(const FlowRecord&, const FlowRecord&);

// Of records with one time and arrival: each flow, then what is noted of it, as that was noted.
inline int annotation_order(const FlowRecord& a, const FlowRecord& b) {
  if (const int order = compare(a.key, b.key)) return order;
  const bool is_annotation = a.flags & kIsAnnotation, other_is = b.flags & kIsAnnotation;
  if (is_annotation != other_is) return other_is ? -1 : 1;
  if (!is_annotation || a.packets == b.packets) return 0;
  return a.packets < b.packets ? -1 : 1;
}

// (Flow Key, arrival): that of partials, in which the parts of a flow follow each other as its packets did.
inline int arrival_order(const FlowRecord& a, const FlowRecord& b) {
  if (const int order = compare(a.key, b.key)) return order;
  if (a.arrival != b.arrival) return a.arrival < b.arrival ? -1 : 1;
  return annotation_order(a, b);
}

// (start, end, arrival): that of the output within a key.
inline int time_order(const FlowRecord& a, const FlowRecord& b) {
  if (a.start_ns != b.start_ns) return a.start_ns < b.start_ns ? -1 : 1;
  if (a.end_ns != b.end_ns) return a.end_ns < b.end_ns ? -1 : 1;
  if (a.arrival != b.arrival) return a.arrival < b.arrival ? -1 : 1;
  return annotation_order(a, b);
}

// (Flow Key, start, end, arrival): that of the output.
inline int output_order(const FlowRecord& a, const FlowRecord& b) {
  if (const int order = compare(a.key, b.key)) return order;
  return time_order(a, b);
}

// Adds the counters of `other`: sums, first start, last end, all flags. The rest of `sum` stays as it is.
WARPMETER_HD inline void add_counters(FlowRecord& sum, const FlowRecord& other) {
  if (other.start_ns < sum.start_ns) sum.start_ns = other.start_ns;
  if (other.end_ns > sum.end_ns) sum.end_ns = other.end_ns;
#define WARPMETER_ADD(name, ...) sum.name += other.name;
  WARPMETER_FLOW_COUNTERS(WARPMETER_ADD)
#undef WARPMETER_ADD
  sum.tcp_flags |= other.tcp_flags;
}

}  // namespace warpmeter
