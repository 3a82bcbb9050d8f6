// IPFIX to a collector: over UDP (RFC 7011, section 10.3), and over TCP (section 10.4). Its addresses are looked up
// once.
//
// Threads, errors: see MessageSink and CollectorSink.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/files/descriptor.h"
#include "core/ipfix_header.h"
#include "record/collector/collector_writer.h"
#include "record/collector/datagram_sender.h"
#include "record/collector/message_queue.h"
#include "record/collector/tcp_sender.h"

namespace warpmeter::inline record {

// One message a datagram; Templates are repeated, nothing else is.
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

// Sent by a thread of its own from a bounded queue.
//
// Every record arrives at the collector's host at least once, whatever connections break, unless the report counts it
// as lost: what had not been acknowledged when a connection broke is sent again on the next. What a collector that does
// not read to the end has left in its host's buffers counts as lost, too.
class TcpSink : public CollectorSink {
 public:
  // Connects. Throws Error if nobody answers.
  explicit TcpSink(const CollectorOptions& options);
  // Without end(): what is queued is dropped.
  ~TcpSink() override;
  std::size_t largest_message() const override { return 65'535; }
  void begin(std::vector<IpfixMessage> templates) override;
  void add_templates(IpfixMessage message) override;
  // Waits while the queue is full, as long as the collector is not given up.
  void send(IpfixMessage message) override;
  void end() override;
  ExportReport report() const override;
  ExportState state() const override;

 private:
  void complete(ExportCounters& counters) const;

  const CollectorOptions options_;
  std::vector<SocketAddress> addresses_;
  Descriptor connection_;  // until begin()
  MessageQueue queue_;
  KnownState known_;  // by the sender
  std::optional<TcpSender> sender_;
  std::thread thread_;
  std::atomic<std::uint64_t> records_ = 0, refused_records_ = 0;
};

}  // namespace warpmeter::inline record
