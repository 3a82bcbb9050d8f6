// NetFlow v9 (RFC 3954), for collectors that do not take IPFIX: its Export Packets, and Flow Records sent in them by
// UDP.
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
#include <memory>
#include <vector>

#include "core/record_layout.h"
#include "core/record_writer.h"
#include "record/collector/collector_writer.h"
#include "record/collector/datagram_sender.h"
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

// NetFlow v9 as a format: sections hold Data Records, all but their times in the octets of a packet. Of a biflow, each
// direction is a record of its own.
class NetflowV9Section : public RecordSection {
 public:
  explicit NetflowV9Section(const RecordLayout& layout) : layout_(layout) {}

  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    records_.push_back(append_netflow_v9_record(octets_, record, layout_));
    if (reverse) records_.push_back(append_netflow_v9_record(octets_, *reverse, layout_));
  }
  std::size_t bytes() const override { return records_.size() * sizeof(NetflowV9Record) + octets_.size(); }

  // Calls give(record, octets) for each, in their order, and is empty then.
  template <class Give>
  void take(Give give) {
    const std::uint8_t* octets = octets_.data();
    for (const NetflowV9Record& record : records_) {
      give(record, octets);
      octets += record.octets;
    }
    records_.clear();
    octets_.clear();
  }

 private:
  const RecordLayout layout_;
  std::vector<NetflowV9Record> records_;
  std::vector<std::uint8_t> octets_;  // of these, one behind the other
};

class NetflowV9Format : public RecordFormat {
 public:
  explicit NetflowV9Format(const RecordLayout& layout) : layout_(layout) {}
  std::unique_ptr<RecordSection> new_section() const override { return std::make_unique<NetflowV9Section>(layout_); }

 private:
  const RecordLayout layout_;
};

class NetflowV9Writer : public CollectorWriter {
 public:
  // Throws Error where there is no way to the collector.
  NetflowV9Writer(const CollectorOptions& options, const RecordLayout& layout);
  const RecordFormat& format() const override { return format_; }
  void begin() override;
  void append(RecordSection& section) override;
  void flush() override;
  void tell_sample(std::uint32_t one_in) override;
  void end() override;
  ExportReport report() const override;
  ExportState state() const override { return known_.get(); }

 private:
  ExportCounters counters() const;
  void add(const NetflowV9Record& record, const std::uint8_t* octets);
  void send_packet();
  void send_templates();

  RecordLayout layout_;
  const NetflowV9Format format_;
  DatagramSender sender_;
  KnownState known_;
  TemplateRefresh refresh_;
  NetflowV9Packet packet_;
  std::uint32_t sequence_ = 0;  // counts packets (RFC 3954, section 5.1)
  std::uint64_t records_ = 0, lost_records_ = 0, template_messages_ = 0;
};

}  // namespace warpmeter::inline record
