#include "output/collector_output.h"

#include "output/ipfix_output.h"
#include "transport/collector_sink.h"
#include "transport/netflow_v9_writer.h"

namespace warpmeter {
namespace {

class IpfixToCollector : public CollectorWriter {
 public:
  IpfixToCollector(const CollectorOptions& collector, const IpfixOptions& ipfix, const RecordLayout& layout)
      : sink_(make_collector_sink(collector)), writer_(make_ipfix_writer_for(*sink_, layout, ipfix)) {}
  void begin() override { writer_->begin(); }
  void write(const FlowRecord& record, const FlowRecord* reverse) override { writer_->write(record, reverse); }
  void end() override { writer_->end(); }
  std::unique_ptr<RecordSection> new_section() const override { return writer_->new_section(); }
  void append(RecordSection& section) override { writer_->append(section); }
  ExportReport report() const override { return sink_->report(); }

 private:
  const std::unique_ptr<CollectorSink> sink_;
  const std::unique_ptr<RecordWriter> writer_;
};

class NetflowV9ToCollector : public CollectorWriter {
 public:
  NetflowV9ToCollector(const CollectorOptions& collector, const RecordLayout& layout) : writer_(collector, layout) {}
  void begin() override { writer_.begin(); }
  void write(const FlowRecord& record, const FlowRecord* reverse) override { writer_.write(record, reverse); }
  void end() override { writer_.end(); }
  ExportReport report() const override { return writer_.report(); }

 private:
  NetflowV9Writer writer_;
};

}  // namespace

std::unique_ptr<CollectorWriter> make_collector_writer(const CollectorOptions& collector, const IpfixOptions& ipfix,
                                                       const RecordLayout& layout) {
  if (collector.protocol == ExportProtocol::netflow_v9) {
    return std::make_unique<NetflowV9ToCollector>(collector, layout);
  }
  return std::make_unique<IpfixToCollector>(collector, ipfix, layout);
}

}  // namespace warpmeter
