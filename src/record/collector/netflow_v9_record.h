// Data Records of NetFlow v9 (RFC 3954) and their Templates: of IPv4 and IPv6, of ICMP and of all others; and the
// octets that they are made of.
//
// Fields (section 8 there): addresses, ports, protocol, IP version, IN_BYTES, IN_PKTS, TCP_FLAGS, FIRST_SWITCHED,
// LAST_SWITCHED, of ICMP also ICMP_TYPE, where nfcapd looks for it, with VLAN ids SRC_VLAN; of a live
// capture INPUT_SNMP or OUTPUT_SNMP, whichever is known, and DIRECTION. Retransmissions and the rest have no place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/record_layout.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline record {

// Twice as many where they tell the direction.
constexpr int netflow_v9_templates_of(const RecordLayout& layout) { return layout.observed ? 8 : 4; }

// The Templates, as they stand in their FlowSet.
void append_netflow_v9_templates(std::vector<std::uint8_t>& to, const RecordLayout& layout);

// What is known of a Data Record before its packet is. Times are relative to that packet's boot, so they are missing.
struct NetflowV9Record {
  std::uint16_t template_id;
  std::uint16_t octets;            // of the Data Record
  std::int64_t first_ms, last_ms;  // since 1970, in what unix_secs can tell; at most 49 days apart
};

// The boot is so long before a packet's first flow, since a FIRST_SWITCHED of 0 could mean none.
inline constexpr std::int64_t kNetflowV9BootBefore = 1000;
// The longest time from a packet's first flow to its last; sysUptime is rounded up to a second.
inline constexpr std::int64_t kNetflowV9LongestMs = UINT32_MAX - kNetflowV9BootBefore - 1000;

// Appends the Data Record. Its first octets are FIRST_SWITCHED and LAST_SWITCHED, of four octets each, which are 0.
NetflowV9Record append_netflow_v9_record(std::vector<std::uint8_t>& to, const FlowRecord& record,
                                         const RecordLayout& layout);

// Puts numbers in network byte order, and octets as they are, one behind the other.
class Octets {
 public:
  // Behind what is there. `to` must outlive it.
  explicit Octets(std::vector<std::uint8_t>& to) : to_(to) {}

  // The lowest `size` octets of it.
  Octets& number(std::uint64_t value, int size) {
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) to_.push_back(static_cast<std::uint8_t>(value >> shift));
    return *this;
  }
  Octets& zeros(std::size_t count) {
    to_.resize(to_.size() + count);
    return *this;
  }
  Octets& copy(const std::uint8_t* from, std::size_t count) {
    to_.insert(to_.end(), from, from + count);
    return *this;
  }

 private:
  std::vector<std::uint8_t>& to_;
};

}  // namespace warpmeter::inline record
