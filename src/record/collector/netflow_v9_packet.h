// A NetFlow v9 Export Packet (RFC 3954): what collectors without IPFIX take.
//
// Times in it are milliseconds since the exporter's boot, in 32 bits. The boot is made up for each packet, shortly
// before its first flow, and told by the header's unix_secs and sysUptime together; a packet takes no flow that is 49
// days away from the others, and one that lasts longer is told to start 49 days before its end. Times are cut to
// milliseconds; those before 1970 or after 2106 become that. Times come from the packets alone, so that the same input
// gives the same bytes.
//
// Its Data Records and their Templates are of IPv4 and IPv6, of ICMP and of all others. Fields (section 8 there):
// addresses, ports, protocol, IP version, IN_BYTES, IN_PKTS, TCP_FLAGS, FIRST_SWITCHED, LAST_SWITCHED, of ICMP also
// ICMP_TYPE, where nfcapd looks for it, with VLAN ids SRC_VLAN; of a live capture INPUT_SNMP or OUTPUT_SNMP, whichever
// is known, and DIRECTION. Retransmissions and the rest have no place.
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

// All Templates, and of a sample of the flows its rate. `unix_seconds`: the time of sending, as there are no flows
// whose time would count.
std::vector<std::uint8_t> netflow_v9_templates(const RecordLayout& layout, std::uint32_t sequence,
                                               std::uint32_t unix_seconds);

class NetflowV9Packet {
 public:
  explicit NetflowV9Packet(std::size_t largest) : largest_(largest) {}

  // `octets`: those of the record. False if it does not go with the others: they have to be finish()ed first. An empty
  // packet takes any.
  bool add(const NetflowV9Record& record, const std::uint8_t* octets);
  bool empty() const { return count_ == 0; }
  std::uint16_t records() const { return count_; }
  // The packet, with all that was added; a new one is begun. `sequence`: the number of packets before it.
  std::vector<std::uint8_t> finish(std::uint32_t sequence);

 private:
  struct Times {
    std::int64_t first_ms, last_ms;
    std::size_t record_at;
  };
  void begin_set(std::uint16_t id);
  void end_set();

  const std::size_t largest_;
  std::vector<std::uint8_t> bytes_;  // times are filled in by finish()
  std::vector<Times> times_;
  std::uint16_t count_ = 0;
  std::size_t set_at_ = 0;      // where the last FlowSet begins; 0 = there is none
  std::uint16_t template_ = 0;  // that FlowSet's
  std::int64_t earliest_ms_ = 0, latest_ms_ = 0;
};

}  // namespace warpmeter::inline record
