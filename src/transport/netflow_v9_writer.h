// Flow Records to a collector as NetFlow v9 over UDP. Of a biflow, each direction is a record of its own.
#pragma once

#include <cstdint>

#include "transport/datagram_sender.h"
#include "transport/netflow_v9_packet.h"
#include "transport/template_refresh.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

class NetflowV9Writer : public RecordWriter {
 public:
  // Throws Error where there is no way to the collector.
  NetflowV9Writer(const CollectorOptions& options, const RecordLayout& layout);
  void begin() override;
  void write(const FlowRecord& record, const FlowRecord* reverse) override;
  void end() override;

  // REQUIRES: end() has returned.
  ExportReport report() const;

 private:
  void write(const FlowRecord& record);
  void send_packet();
  void send_templates();

  const bool vlan_;
  DatagramSender sender_;
  TemplateRefresh refresh_;
  NetflowV9Packet packet_;
  std::uint32_t sequence_ = 0;  // counts packets (RFC 3954, section 5.1)
  std::uint64_t records_ = 0, lost_records_ = 0, template_messages_ = 0;
};

}  // namespace warpmeter
