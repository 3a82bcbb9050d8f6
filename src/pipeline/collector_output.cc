#include "pipeline/collector_output.h"

#include "pipeline/ipfix_output.h"
#include "transport/collector_sink.h"

namespace warpmeter {
namespace {

class IpfixToCollector : public CollectorWriter {
 public:
  IpfixToCollector(const CollectorOptions& collector, const IpfixOptions& ipfix, const RecordLayout& layout)
      : sink_(make_collector_sink(collector)), writer_(make_ipfix_writer_for(*sink_, layout, ipfix)) {}
  void begin() override { writer_->begin(); }
  void write(const FlowRecord& record, const FlowRecord* reverse) override { writer_->write(record, reverse); }
  void end() override { writer_->end(); }
  ExportReport report() const override { return sink_->report(); }

 private:
  const std::unique_ptr<CollectorSink> sink_;
  const std::unique_ptr<RecordWriter> writer_;
};

}  // namespace

std::unique_ptr<CollectorWriter> make_collector_writer(const CollectorOptions& collector, const IpfixOptions& ipfix,
                                                       const RecordLayout& layout) {
  return std::make_unique<IpfixToCollector>(collector, ipfix, layout);
}

}  // namespace warpmeter
