// IPFIX over UDP (RFC 7011, section 10.3): one message a datagram; Templates are repeated, nothing else is.
#pragma once

#include <vector>

#include "record/collector/collector_writer.h"
#include "record/collector/datagram_sender.h"
#include "record/collector/export_sequence.h"

namespace warpmeter::inline record {

class UdpSink : public CollectorSink {
 public:
  explicit UdpSink(const CollectorOptions& options) : UdpSink(options, resolve(options.address)) {}
  UdpSink(const CollectorOptions& options, std::vector<SocketAddress> addresses);
  std::size_t largest_message() const override { return sender_.largest(); }
  void begin(std::vector<IpfixMessage> templates) override;
  void add_templates(IpfixMessage message) override;
  void send(IpfixMessage message) override;
  void end() override { sender_.settle(); }
  ExportReport report() const override;
  ExportState state() const override { return known_.get(); }

 private:
  ExportCounters counters() const;
  void send_templates();

  DatagramSender sender_;
  TemplateRefresh refresh_;
  SequenceNumbers numbers_;
  std::vector<IpfixMessage> templates_;
  KnownState known_;
  std::uint64_t template_messages_ = 0, records_ = 0, lost_records_ = 0;
};

}  // namespace warpmeter::inline record
