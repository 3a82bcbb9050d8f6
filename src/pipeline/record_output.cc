#include "pipeline/record_output.h"

#include <utility>

#include "pipeline/file_writer.h"
#include "pipeline/interval_writer.h"
#include "pipeline/rotating_writer.h"

namespace warpmeter {
namespace {

class BothWriters : public RecordWriter {
 public:
  BothWriters(std::unique_ptr<RecordWriter> one, std::unique_ptr<RecordWriter> other)
      : one_(std::move(one)), other_(std::move(other)) {}
  void begin() override {
    one_->begin();
    other_->begin();
  }
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    one_->write(record, reverse);
    other_->write(record, reverse);
  }
  void end() override {
    one_->end();
    other_->end();
  }

 private:
  const std::unique_ptr<RecordWriter> one_, other_;
};

std::unique_ptr<RecordWriter> open_files(const OutputOptions& options, const RecordLayout& layout) {
  if (options.rotate_ns) return std::make_unique<IntervalWriter>(options, layout);
  if (options.rotate_bytes) return std::make_unique<RotatingWriter>(options, layout);
  return std::make_unique<FileWriter>(options.file, options, layout);
}

}  // namespace

RecordOutput::RecordOutput(const OutputOptions& options, const RecordLayout& layout) {
  if (!options.file.empty()) first_ = open_files(options, layout);
  if (options.collector) {
    std::unique_ptr<CollectorWriter> collector = make_collector_writer(*options.collector, options.ipfix, layout);
    collector_ = collector.get();
    if (!first_) first_ = std::move(collector);
    else first_ = std::make_unique<BothWriters>(std::move(first_), std::move(collector));
  }
}

std::optional<ExportReport> RecordOutput::export_report() const {
  if (!collector_) return std::nullopt;
  return collector_->report();
}

}  // namespace warpmeter
