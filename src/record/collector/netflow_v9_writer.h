// Flow Records to a collector as NetFlow v9 over UDP.
#pragma once

#include <cstdint>

#include "core/record_layout.h"
#include "record/collector/collector_writer.h"
#include "record/collector/datagram_sender.h"
#include "record/collector/netflow_v9_format.h"
#include "record/collector/netflow_v9_packet.h"
#include "record/collector/template_refresh.h"

namespace warpmeter::inline record {

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
