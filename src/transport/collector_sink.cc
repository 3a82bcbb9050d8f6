#include "transport/collector_sink.h"

#include "transport/tcp_sink.h"
#include "transport/udp_sink.h"

namespace warpmeter {

std::unique_ptr<CollectorSink> make_collector_sink(const CollectorOptions& options) {
  if (options.address.transport == TransportProtocol::tcp) return std::make_unique<TcpSink>(options);
  return std::make_unique<UdpSink>(options);
}

}  // namespace warpmeter
