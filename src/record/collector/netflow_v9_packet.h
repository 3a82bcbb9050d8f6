// A NetFlow v9 Export Packet (RFC 3954): what collectors without IPFIX take.
//
// Times in it are milliseconds since the exporter's boot, in 32 bits. The boot is made up for each packet, shortly
// before its first flow, and told by the header's unix_secs and sysUptime together; a packet takes no flow that is 49
// days away from the others, and one that lasts longer is told to start 49 days before its end. Times are cut to
// milliseconds; those before 1970 or after 2106 become that. Times come from the packets alone, so that the same input
// gives the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "record/collector/netflow_v9_record.h"

namespace warpmeter::inline record {

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
