// Flow Keys by number: as many as a test wants, all different.
#pragma once

#include <cstdint>

#include "warpmeter/flow_key.h"

namespace warpmeter::test {

inline FlowKey numbered_key(std::uint32_t number, std::uint8_t protocol = kProtocolTcp) {
  FlowKey key;
  key.version = 4;
  key.source[0] = 10;
  key.source[1] = static_cast<std::uint8_t>(number >> 16);
  key.source[2] = static_cast<std::uint8_t>(number >> 8);
  key.source[3] = static_cast<std::uint8_t>(number);
  key.destination[0] = 192;
  key.destination[3] = 1;
  key.source_port[0] = 0x30;
  key.destination_port[1] = 80;
  key.protocol = protocol;
  return key;
}

}  // namespace warpmeter::test
