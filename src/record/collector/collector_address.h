// Where a collector is, as users write it: udp://HOST[:PORT] or tcp://HOST[:PORT], an IPv6 address in brackets.
#pragma once

#include <cstdint>
#include <string>

namespace warpmeter::inline record {

enum class ExportProtocol { ipfix, netflow_v9 };
enum class TransportProtocol { udp, tcp };

struct CollectorAddress {
  TransportProtocol transport = TransportProtocol::udp;
  std::string host;  // name or address, without brackets
  std::uint16_t port = 0;

  // For messages: "collector udp://[::1]:4739".
  std::string name() const;
};

// Without a port: 4739 (RFC 7011, section 10.3.4) or, of NetFlow v9, 2055. Throws Error (usage) with what was wrong;
// NetFlow v9 has no TCP.
CollectorAddress parse_collector(const std::string& text, ExportProtocol protocol = ExportProtocol::ipfix);

}  // namespace warpmeter::inline record
