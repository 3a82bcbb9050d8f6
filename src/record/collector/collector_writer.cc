#include "record/collector/collector_writer.h"

#include <utility>

#include "record/collector/ipfix_sinks.h"
#include "record/collector/netflow_v9.h"

namespace warpmeter::inline record {
namespace {

// Finds the collector's addresses and, over TCP, connects. Throws Error where that cannot be done, so make it before
// work is done that would be for nothing.
std::unique_ptr<CollectorSink> make_collector_sink(const CollectorOptions& options) {
  if (options.address.transport == TransportProtocol::tcp) return std::make_unique<TcpSink>(options);
  return std::make_unique<UdpSink>(options);
}

class MessagesToCollector : public CollectorWriter {
 public:
  MessagesToCollector(const CollectorOptions& collector, std::unique_ptr<const MessageFormat> format)
      : format_(std::move(format)), sink_(make_collector_sink(collector)), writer_(format_->new_writer(*sink_)) {}
  const RecordFormat& format() const override { return *format_; }
  void begin() override { writer_->begin(); }
  void append(RecordSection& section) override { writer_->append(section); }
  void flush() override { writer_->flush(); }
  void end() override { writer_->end(); }
  std::uint32_t write_statistics(const ProcessStatistics& statistics) override {
    return writer_->write_statistics(statistics);
  }
  void tell_sample(std::uint32_t one_in) override { writer_->tell_sample(one_in); }
  ExportReport report() const override { return sink_->report(); }
  ExportState state() const override { return sink_->state(); }

 private:
  const std::unique_ptr<const MessageFormat> format_;
  const std::unique_ptr<CollectorSink> sink_;
  const std::unique_ptr<MessageWriter> writer_;
};

}  // namespace

std::unique_ptr<CollectorWriter> make_message_collector(const CollectorOptions& collector,
                                                        std::unique_ptr<const MessageFormat> format) {
  return std::make_unique<MessagesToCollector>(collector, std::move(format));
}

std::unique_ptr<CollectorWriter> make_netflow_v9_collector(const CollectorOptions& collector,
                                                           const RecordLayout& layout) {
  return std::make_unique<NetflowV9Writer>(collector, layout);
}

}  // namespace warpmeter::inline record
