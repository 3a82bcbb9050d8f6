// Flow Keys written short.
#pragma once

#include <cstring>

#include "support/byte_writer.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::test {

struct KeyFields {
  Bytes source = {10, 0, 0, 1};  // 4 bytes: IPv4, 16 bytes: IPv6
  Bytes destination = {10, 0, 0, 2};
  std::uint16_t source_port = 1000;
  std::uint16_t destination_port = 80;
  std::uint8_t protocol = kProtocolTcp;
  std::uint16_t vlan = 0;
};

inline void set_number(std::uint8_t (&to)[2], std::uint16_t value) {
  to[0] = static_cast<std::uint8_t>(value >> 8);
  to[1] = static_cast<std::uint8_t>(value);
}

inline FlowKey key_of(const KeyFields& fields) {
  FlowKey key;
  key.version = fields.source.size() == 4 ? 4 : 6;
  std::memcpy(key.source, fields.source.data(), fields.source.size());
  std::memcpy(key.destination, fields.destination.data(), fields.destination.size());
  set_number(key.source_port, fields.source_port);
  set_number(key.destination_port, fields.destination_port);
  key.protocol = fields.protocol;
  set_number(key.vlan, fields.vlan);
  return key;
}

inline FlowKey reversed(const FlowKey& key) {
  FlowKey other = key;
  std::memcpy(other.source, key.destination, sizeof key.source);
  std::memcpy(other.destination, key.source, sizeof key.source);
  std::memcpy(other.source_port, key.destination_port, sizeof key.source_port);
  std::memcpy(other.destination_port, key.source_port, sizeof key.source_port);
  return other;
}

}  // namespace warpmeter::test
