// Flow Records on their way to a collector: the encoding and the transport together.
#pragma once

#include <memory>

#include "ipfix/ipfix_options.h"
#include "transport/collector_options.h"
#include "transport/export_report.h"
#include "warpmeter/record_writer.h"

namespace warpmeter {

class CollectorWriter : public RecordWriter {
 public:
  // REQUIRES: end() has returned.
  virtual ExportReport report() const = 0;
};

// Connects, where the transport does; throws Error if that fails, or if the protocol is not built in.
std::unique_ptr<CollectorWriter> make_collector_writer(const CollectorOptions& collector, const IpfixOptions& ipfix,
                                                       const RecordLayout& layout);

}  // namespace warpmeter
