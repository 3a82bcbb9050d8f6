// Flows written short, for filters and sums.
#pragma once

#include <arpa/inet.h>

#include <string>

#include "core/record_reader.h"
#include "support/keys.h"

namespace warpmeter::test {

inline FlowKey key_between(const char* source, const char* destination, std::uint16_t source_port = 0,
                           std::uint16_t destination_port = 0, std::uint8_t protocol = kProtocolTcp) {
  FlowKey key;
  const int family = std::string(source).find(':') == std::string::npos ? AF_INET : AF_INET6;
  key.version = family == AF_INET ? 4 : 6;
  inet_pton(family, source, key.source);
  inet_pton(family, destination, key.destination);
  set_number(key.source_port, source_port);
  set_number(key.destination_port, destination_port);
  key.protocol = protocol;
  return key;
}

inline Biflow flow_between(const char* source, const char* destination, std::uint16_t source_port = 0,
                           std::uint16_t destination_port = 0, std::uint8_t protocol = kProtocolTcp) {
  static std::uint64_t arrivals = 0;
  Biflow flow;
  flow.forward.key = key_between(source, destination, source_port, destination_port, protocol);
  flow.forward.arrival = ++arrivals;
  return flow;
}

}  // namespace warpmeter::test
