// A collector as an output of `extract`: which of the formats it gets.
#pragma once

#include <memory>

#include "record/collector/collector_writer.h"
#include "record/ipfix/ipfix_options.h"

namespace warpmeter::inline record {

// Connects, where the transport does; throws Error if that fails, or if the protocol is not built in.
std::unique_ptr<CollectorWriter> make_collector_writer(const CollectorOptions& collector, const IpfixOptions& ipfix,
                                                       const RecordLayout& layout);

}  // namespace warpmeter::inline record
