#include "record/collector/collector_sink.h"

#include "record/collector/tcp_sink.h"
#include "record/collector/udp_sink.h"

namespace warpmeter::inline record {

std::unique_ptr<CollectorSink> make_collector_sink(const CollectorOptions& options) {
  if (options.address.transport == TransportProtocol::tcp) return std::make_unique<TcpSink>(options);
  return std::make_unique<UdpSink>(options);
}

}  // namespace warpmeter::inline record
