#include "record/write/collector_output.h"

#include "record/write/ipfix_output.h"

namespace warpmeter::inline record {

std::unique_ptr<CollectorWriter> make_collector_writer(const CollectorOptions& collector, const IpfixOptions& ipfix,
                                                       const RecordLayout& layout) {
  if (collector.protocol == ExportProtocol::netflow_v9) return make_netflow_v9_collector(collector, layout);
  IpfixOptions with = ipfix;
  with.statistics = collector.statistics;
  return make_message_collector(collector, make_ipfix_messages(layout, with));
}

}  // namespace warpmeter::inline record
