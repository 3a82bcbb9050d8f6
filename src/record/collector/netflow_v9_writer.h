// Flow Records to a collector as NetFlow v9 over UDP.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/record_format.h"
#include "core/record_layout.h"
#include "record/collector/collector_writer.h"
#include "record/collector/datagram_sender.h"
#include "record/collector/netflow_v9_packet.h"

namespace warpmeter::inline record {

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
