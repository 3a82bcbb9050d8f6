#include "analysis/query/field_meaning.h"

#include <utility>

namespace warpmeter::inline analysis {
namespace {

constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {
    {"src_addr", "source address"},
    {"dst_addr", "destination address"},
    {"addr", "source or destination address"},
    {"net", "the same as addr"},
    {"src_port", "source port; of ICMP 0"},
    {"dst_port", "destination port; of ICMP type * 256 + code"},
    {"port", "source or destination port"},
    {"source", "source address and port"},
    {"destination", "destination address and port"},
    {"protocol", "IP protocol"},
    {"proto", "the same as protocol"},
    {"start_ns", "time of the earliest packet"},
    {"start", "the same as start_ns"},
    {"end_ns", "time of the latest packet"},
    {"end", "the same as end_ns"},
    {"duration", "from start to end"},
    {"duration_ns", "from start to end; the same as duration"},
    {"version", "IP version, 4 or 6"},
    {"vlan_id", "outermost VLAN id, where --key-vlan made it part of the Flow Key"},
    {"retransmission_share", "retransmitted_segments of data_segments"},
    {"packets", "all packets, duplicates too"},
    {"bytes", "their lengths by the IP header"},
    {"payload_bytes", "TCP payload of the data segments"},
    {"data_segments", "TCP segments with payload, without duplicates and without those with RST"},
    {"retransmitted_segments", "data segments with at least one byte that was seen before"},
    {"retransmitted_bytes", "the bytes that were seen before"},
    {"duplicate_packets", "copies of packets, made by a mirror port"},
    {"duplicate_bytes", "their lengths by the IP header"},
    {"out_of_order_segments", "data segments below the highest byte seen, with nothing that was seen before"},
    {"keep_alive_segments", "segments of 0 or 1 byte just below the highest byte seen"},
    {"missing_bytes", "never seen between the lowest and the highest sequence number"},
    {"syn_count", "segments with SYN"},
    {"fin_count", "segments with FIN"},
    {"rst_count", "segments with RST"},
    {"zero_window_count", "segments that announce a window of 0"},
    {"tcp_flags", "OR of the flags of all segments"},
    {"connection_bytes", "payload of the connection, from SYN to FIN, where both were seen"},
    {"connection_ns", "time of the connection, from SYN to FIN, where both were seen"},
    {"end_reason", "why the flow ended"},
    {"stray_segments", "segments whose sequence number does not fit the flow"},
    {"community_id", "hash of the Flow Key that other programs log, with --community-id"},
};

}  // namespace

std::string_view meaning_of(std::string_view name) {
  for (const auto& [field, meaning] : kMeanings) {
    if (field == name) return meaning;
  }
  return {};
}

}  // namespace warpmeter::inline analysis
