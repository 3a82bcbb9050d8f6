#include "record/collector/udp_sink.h"

#include <utility>

namespace warpmeter::inline record {

UdpSink::UdpSink(const CollectorOptions& options, std::vector<SocketAddress> addresses)
    : sender_(options, std::move(addresses)), refresh_(options.template_refresh, options.template_refresh_messages) {}

void UdpSink::begin(std::vector<IpfixMessage> templates) {
  templates_ = std::move(templates);
  send_templates();
  while (sender_.moved_on()) {  // a Transport Session of its own (RFC 7011, section 2)
    numbers_ = {};
    template_messages_ = 0;
    send_templates();
  }
}

void UdpSink::add_templates(IpfixMessage message) {
  keep(templates_, message);
  numbers_.stamp(message);
  if (sender_.send(message.bytes, message.records, 0)) ++template_messages_;
}

void UdpSink::send(IpfixMessage message) {
  if (refresh_.due()) send_templates();
  numbers_.stamp(message);
  const std::uint32_t flows = message.flow_records();
  if (!sender_.send(message.bytes, message.records, flows)) lost_records_ += flows;
  records_ += flows;
  refresh_.message_sent();
  known_.set({counters(), 0, true});
}

void UdpSink::send_templates() {
  for (IpfixMessage& message : templates_) {
    numbers_.stamp(message);
    if (sender_.send(message.bytes, message.records, 0)) ++template_messages_;
  }
  refresh_.templates_sent();
}

ExportCounters UdpSink::counters() const {
  ExportCounters counters = sender_.counters();
  counters.records = records_;
  counters.lost_records = lost_records_;
  counters.template_messages = template_messages_;
  return counters;
}

ExportReport UdpSink::report() const { return {counters(), sender_.problem()}; }

}  // namespace warpmeter::inline record
