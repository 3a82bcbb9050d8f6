#include "record/collector/ipfix_sinks.h"

#include <fmt/format.h>

#include <utility>

#include "warpmeter/status.h"

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

TcpSink::TcpSink(const CollectorOptions& options)
    : options_(options), addresses_(resolve(options.address)), queue_(options.buffer) {
  std::string why;
  connection_ = connect_tcp(addresses_, options.interrupted, why);
  if (!connection_) throw Error(fmt::format("{}: cannot connect: {}", options.address.name(), why));
}

TcpSink::~TcpSink() {
  if (!thread_.joinable()) return;
  sender_->stop();
  queue_.close();
  thread_.join();
}

void TcpSink::begin(std::vector<IpfixMessage> templates) {
  sender_.emplace(options_, addresses_, std::move(connection_), std::move(templates), queue_, known_);
  thread_ = std::thread([this] { sender_->run(); });
}

void TcpSink::add_templates(IpfixMessage message) {
  message.templates = true;
  queue_.push(std::move(message));
}

void TcpSink::send(IpfixMessage message) {
  const std::uint32_t records = message.flow_records();
  records_ += records;
  if (!queue_.push(std::move(message))) refused_records_ += records;
}

void TcpSink::end() {
  queue_.close();
  thread_.join();
}

void TcpSink::complete(ExportCounters& counters) const {
  counters.records = records_;
  counters.lost_records += refused_records_;
}

ExportState TcpSink::state() const {
  ExportState state = known_.get();
  complete(state.counters);
  state.queued_bytes = queue_.bytes();
  return state;
}

ExportReport TcpSink::report() const {
  ExportReport report;
  if (!sender_) return report;
  report.counters = sender_->counters();
  complete(report.counters);
  if (const std::uint64_t lost = report.counters.lost_records) {
    report.problem = fmt::format("{}: {}: {} of {} records were lost", options_.address.name(), sender_->reason(), lost,
                                 report.counters.records);
    if (const std::uint64_t unconfirmed = report.counters.unconfirmed_records) {
      report.problem += fmt::format(" ({} of them its host took; whether it read them is not known)", unconfirmed);
    }
  }
  return report;
}

}  // namespace warpmeter::inline record
