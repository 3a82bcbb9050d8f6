// The Flow Record that a flow state becomes when its flow, or a part of it, ends.
#pragma once

#include <cstdint>

#include "warpmeter/flow_record.h"
#include "warpmeter/flow_rules.h"

namespace warpmeter {

// connection_bytes and connection_ns, in the part in which the first FIN came, once that part has ended.
template <class State>
WARPMETER_HD void set_connection(FlowRecord& record, const State& f) {
  constexpr std::uint16_t kNeeded = kIsn | kFinKnown | kFinInPart;
  if ((f.bits & (kNeeded | kOtherFin)) != kNeeded || f.fin - f.isn - 1 < 0) return;
  record.connection_bytes = f.fin - f.isn - 1;
  record.connection_ns = f.connection_ns;
  record.flags |= kHasConnection;
}

// The Flow Record of a flow (or part of it) that ends here. `missing` is 0 where the holes are handed on.
template <class State>
WARPMETER_HD FlowRecord record_of(const State& f, EndReason reason, LetGo let_go, std::int64_t missing) {
  FlowRecord record;
  record.key = f.key;
  record.start_ns = f.start_ns;
  record.end_ns = f.end_ns;
  record.arrival = f.arrival;
  record.first_ns = f.first_ns;
  record.packets = f.packets;
  record.bytes = f.bytes;
  record.payload_bytes = f.payload_bytes;
  record.data_segments = f.data_segments;
  record.retransmitted_segments = f.retransmitted_segments;
  record.retransmitted_bytes = f.retransmitted_bytes;
  record.duplicate_packets = f.duplicate_packets;
  record.duplicate_bytes = f.duplicate_bytes;
  record.out_of_order_segments = f.out_of_order_segments;
  record.keep_alive_segments = f.keep_alive_segments;
  record.missing_bytes = static_cast<std::uint64_t>(missing);
  record.syn_count = f.syn_count;
  record.fin_count = f.fin_count;
  record.rst_count = f.rst_count;
  record.zero_window_count = f.zero_window_count;
  record.tcp_flags = f.tcp_flags;
  record.end_reason = with_closing(reason, f.bits & kHadFinOrRst);
  record.let_go = let_go;
  const Origin origin = origin_of(f);
  record.isn = origin.isn;
  record.lowest = origin.lowest;
  record.flags =
      static_cast<std::uint8_t>((f.bits & kHadFinOrRst ? kClosing : 0) | (origin.isn_known ? kIsnKnown : 0) |
                                (origin.lowest_known ? kLowestKnown : 0) |
                                (f.bits & kFirstOpening ? kFirstIsOpening : 0) | (f.bits & kSynAlone ? kOpener : 0));
  set_connection(record, f);
  return record;
}

}  // namespace warpmeter
