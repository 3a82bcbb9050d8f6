// The Flow Key of both directions together (RFC 5103: a Biflow is what has one key if source and destination are
// exchanged), and the orders in which the two directions' records come together.
#pragma once

#include <cstdint>
#include <utility>

#include "warpmeter/flow_key.h"
#include "warpmeter/flow_record.h"

namespace warpmeter {

// The ICMP type that answers `type` or that it answers; -1 if there is none. From the IANA lists of ICMP types.
inline int icmp_counterpart(std::uint8_t protocol, std::uint8_t type) {
  constexpr std::uint8_t kPairs[][2] = {{8, 0}, {13, 14}, {15, 16}, {17, 18}, {35, 36}, {37, 38}, {42, 43}};
  constexpr std::uint8_t kPairsV6[][2] = {{128, 129}, {139, 140}, {160, 161}};
  const auto other_in = [type](const auto& pairs) {
    for (const auto& pair : pairs) {
      if (type == pair[0] || type == pair[1]) return type == pair[0] ? int{pair[1]} : int{pair[0]};
    }
    return -1;
  };
  return protocol == kProtocolIcmp ? other_in(kPairs) : other_in(kPairsV6);
}

// Does it answer another message? Source: the IANA lists of ICMP types.
inline bool is_icmp_answer(const FlowKey& key) {
  const std::uint8_t type = key.destination_port[0];
  if (key.protocol == kProtocolIcmp) return type == 0 || type == 14 || type == 16 || type == 18 || type == 43;
  return key.protocol == kProtocolIcmpV6 && (type == 129 || type == 140 || type == 161);
}

// The key of the other direction. Of ICMP the types answer each other, echo request and echo reply; what has no answer
// keeps its key: its other direction is itself.
inline FlowKey reversed(const FlowKey& key) {
  FlowKey other = key;
  const bool icmp = key.protocol == kProtocolIcmp || key.protocol == kProtocolIcmpV6;
  const int type = icmp ? icmp_counterpart(key.protocol, key.destination_port[0]) : 0;
  if (type < 0) return other;
  for (int i = 0; i < 16; ++i) std::swap(other.source[i], other.destination[i]);
  if (icmp) {
    other.destination_port[0] = static_cast<std::uint8_t>(type);
    return other;
  }
  for (int i = 0; i < 2; ++i) std::swap(other.source_port[i], other.destination_port[i]);
  return other;
}

// The key of a biflow's other direction where a file has the initiator's alone. Of ICMP that has no answer by the lists
// it is the initiator's, turned around.
inline FlowKey key_of_answers(const FlowKey& key) {
  const FlowKey other = reversed(key);
  return other == key ? swapped(key) : other;
}

// One key for both directions: the lesser of the two.
inline FlowKey undirected(const FlowKey& key) {
  const FlowKey other = reversed(key);
  return compare(key, other) <= 0 ? key : other;
}

inline int compare_undirected(const FlowRecord& a, const FlowRecord& b) {
  if (a.key == b.key) return 0;
  return compare(undirected(a.key), undirected(b.key));
}

// (undirected key, Flow Key, arrival): partials, such that the parts of a flow follow each other, and the directions.
inline int biflow_arrival_order(const FlowRecord& a, const FlowRecord& b) {
  if (const int order = compare_undirected(a, b)) return order;
  return arrival_order(a, b);
}

// (undirected key, start, end, arrival): flows as they began, of both directions.
inline int biflow_output_order(const FlowRecord& a, const FlowRecord& b) {
  if (const int order = compare_undirected(a, b)) return order;
  return time_order(a, b);
}

// Under which key records of an order lie together.
inline FlowKey group_key(RecordOrder order, const FlowKey& key) {
  const bool both = order == biflow_arrival_order || order == biflow_output_order;
  return both ? undirected(key) : key;
}

}  // namespace warpmeter
