// The list of what is counted of a flow: the one place where a counter is named. The members of flow state and Flow
// Record, sums, columns in every format and their titles, the totals of the summary and the IPFIX Information Elements
// follow from it. The order is that of the columns; those of the second list came later, and stand at the very end.
//
// To add one: a line here, its rule in apply.h, and, if the element is our own, its description in
// data/warpmeter-elements.xml. If the next segment in order can count in it, the short forms of the rule need it, too
// (flow/meter/shard.h, segment_sum.h, kernels/meter_flows.cuh); their tests hold them to apply.h.
//
// A line is an emitter, which says how flow state keeps the counter, and
//   name       of the column and of the member
//   protocols  every, or tcp: nothing for flows of other protocols
//   unit       of columns.h
//   methods    both, or exact: method five-tuple does not count it
//   title      above a column for people
//   element    the Information Element that carries it
//   registry   iana, or own: of data/warpmeter-elements.xml
// Emitters: BYTES and COUNT are narrow or wide as the flow state is; HOT_ ones are touched by every packet and stand in
// the state's first half; of what stands beside the state, HOLES is the sum of the holes at the end and STRAYS the
// count of strays (stray.h). All are std::uint64_t in the Flow Record.
#pragma once

// clang-format off
#define WARPMETER_FLOW_COUNTERS_KEPT(HOT_BYTES, HOT_COUNT, BYTES, COUNT, HOLES)                                     \
  HOT_COUNT(packets,            every, packets, both,  "PACKETS",       "packetDeltaCount",             iana)       \
  HOT_BYTES(bytes,              every, bytes,   both,  "BYTES",         "octetDeltaCount",              iana)       \
  HOT_BYTES(payload_bytes,      tcp,   bytes,   both,  "PAYLOAD",       "tcpPayloadOctetCount",         own)        \
  HOT_COUNT(data_segments,      tcp,   packets, both,  "SEGMENTS",      "tcpDataSegmentCount",          own)        \
  COUNT(retransmitted_segments, tcp,   packets, both,  "RETRANS",       "tcpRetransmittedSegmentCount", own)        \
  BYTES(retransmitted_bytes,    tcp,   bytes,   both,  "RETRANS BYTES", "tcpRetransmittedOctetCount",   own)        \
  COUNT(duplicate_packets,      every, packets, both,  "DUP",           "duplicatePacketCount",         own)        \
  BYTES(duplicate_bytes,        every, bytes,   both,  "DUP BYTES",     "duplicateOctetCount",          own)        \
  COUNT(out_of_order_segments,  tcp,   packets, exact, "OOO",           "tcpOutOfOrderSegmentCount",    own)        \
  COUNT(keep_alive_segments,    tcp,   packets, exact, "KEEP",          "tcpKeepAliveSegmentCount",     own)        \
  HOLES(missing_bytes,          tcp,   bytes,   exact, "MISSING",       "tcpMissingOctetCount",         own)        \
  COUNT(syn_count,              tcp,   times,   both,  "SYN",           "tcpSynTotalCount",             iana)       \
  COUNT(fin_count,              tcp,   times,   both,  "FIN",           "tcpFinTotalCount",             iana)       \
  COUNT(rst_count,              tcp,   times,   both,  "RST",           "tcpRstTotalCount",             iana)       \
  COUNT(zero_window_count,      tcp,   times,   both,  "ZWIN",          "tcpZeroWindowCount",           own)

#define WARPMETER_LATER_COUNTERS(STRAYS)                                                                            \
  STRAYS(stray_segments,        tcp,   packets, exact, "STRAY",         "tcpStraySegmentCount",         own)
// clang-format on

// COUNTER for each of them, however it is kept.
#define WARPMETER_FIRST_COUNTERS(COUNTER) WARPMETER_FLOW_COUNTERS_KEPT(COUNTER, COUNTER, COUNTER, COUNTER, COUNTER)
#define WARPMETER_FLOW_COUNTERS(COUNTER) WARPMETER_FIRST_COUNTERS(COUNTER) WARPMETER_LATER_COUNTERS(COUNTER)

// For those that are to be left out.
#define WARPMETER_NO_COUNTER(...)

namespace warpmeter {

#define WARPMETER_ONE(...) +1
inline constexpr int kFlowCounters = WARPMETER_FLOW_COUNTERS(WARPMETER_ONE);
inline constexpr int kFirstCounters = WARPMETER_FIRST_COUNTERS(WARPMETER_ONE);
#undef WARPMETER_ONE

}  // namespace warpmeter
