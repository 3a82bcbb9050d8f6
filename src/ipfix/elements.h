// Which Information Element carries which column. Elements of IANA are known to libfixbuf by these names; our own are
// in data/warpmeter-elements.xml.
//
// Flow Key and times have elements of more than one form (IPv4 and IPv6, milliseconds and nanoseconds); they are
// written out where Templates are made and read.
#pragma once

#include <string_view>

namespace warpmeter {

// 32473 is kept for examples (RFC 5612): warpmeter has no number of its own yet. It stands here and in
// data/warpmeter-elements.xml only.
inline constexpr unsigned kEnterpriseNumber = 32473;

struct ColumnElement {
  std::string_view column;  // as in columns.h
  const char* element;
  bool own;  // of kEnterpriseNumber
};

inline constexpr ColumnElement kColumnElements[] = {
    {"packets", "packetDeltaCount", false},
    {"bytes", "octetDeltaCount", false},
    {"payload_bytes", "tcpPayloadOctetCount", true},
    {"data_segments", "tcpDataSegmentCount", true},
    {"retransmitted_segments", "tcpRetransmittedSegmentCount", true},
    {"retransmitted_bytes", "tcpRetransmittedOctetCount", true},
    {"duplicate_packets", "duplicatePacketCount", true},
    {"duplicate_bytes", "duplicateOctetCount", true},
    {"out_of_order_segments", "tcpOutOfOrderSegmentCount", true},
    {"keep_alive_segments", "tcpKeepAliveSegmentCount", true},
    {"missing_bytes", "tcpMissingOctetCount", true},
    {"syn_count", "tcpSynTotalCount", false},
    {"fin_count", "tcpFinTotalCount", false},
    {"rst_count", "tcpRstTotalCount", false},
    {"zero_window_count", "tcpZeroWindowCount", true},
    {"tcp_flags", "tcpControlBits", false},
    {"connection_bytes", "tcpConnectionOctetCount", true},
    {"connection_ns", "tcpConnectionNanoseconds", true},
    {"end_reason", "flowEndReason", false},
};

}  // namespace warpmeter
