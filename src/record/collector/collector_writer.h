// Flow Records on their way to a collector: the transport of messages, and a format and the transport together.
#pragma once

#include <memory>

#include "core/message_format.h"
#include "core/record_layout.h"
#include "core/record_writer.h"
#include "record/collector/collector_options.h"
#include "record/collector/export_report.h"

namespace warpmeter::inline record {

// A MessageSink that sends to a collector. Loss is no Error: all other outputs are still worth finishing. The report
// tells of it.
class CollectorSink : public MessageSink {
 public:
  // REQUIRES: end() has returned.
  virtual ExportReport report() const = 0;
  // While it runs, from any thread.
  virtual ExportState state() const = 0;
};

class CollectorWriter : public RecordWriter {
 public:
  // Between appends: what the processes tell of themselves, where the protocol has a way and the collector's options
  // ask for it. Returns the number of Data Records, which the report counts as well.
  virtual std::uint32_t write_statistics(const ProcessStatistics&) { return 0; }

  // Between appends: what follows is of a sample of one flow of so many (MessageWriter).
  virtual void tell_sample(std::uint32_t one_in) = 0;

  // REQUIRES: end() has returned.
  virtual ExportReport report() const = 0;
  // While it runs, from any thread.
  virtual ExportState state() const = 0;
};

// In messages of this format. Connects, where the transport does; throws Error if that fails.
std::unique_ptr<CollectorWriter> make_message_collector(const CollectorOptions& collector,
                                                        std::unique_ptr<const MessageFormat> format);

// In NetFlow v9. Throws Error where there is no way to the collector.
std::unique_ptr<CollectorWriter> make_netflow_v9_collector(const CollectorOptions& collector,
                                                           const RecordLayout& layout);

}  // namespace warpmeter::inline record
