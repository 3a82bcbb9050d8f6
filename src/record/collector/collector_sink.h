// A MessageSink that sends to a collector. Loss is no Error: all other outputs are still worth finishing. The report
// tells of it.
#pragma once

#include <memory>

#include "core/message_sink.h"
#include "record/collector/collector_options.h"
#include "record/collector/export_report.h"
#include "record/collector/export_state.h"

namespace warpmeter::inline record {

class CollectorSink : public MessageSink {
 public:
  // REQUIRES: end() has returned.
  virtual ExportReport report() const = 0;
  // While it runs, from any thread.
  virtual ExportState state() const = 0;
};

// Finds the collector's addresses and, over TCP, connects. Throws Error where that cannot be done, so make it before
// work is done that would be for nothing.
std::unique_ptr<CollectorSink> make_collector_sink(const CollectorOptions& options);

}  // namespace warpmeter::inline record
