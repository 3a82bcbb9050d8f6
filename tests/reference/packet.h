// What the meter needs to know of one frame: its flow, its length, its TCP fields, and what makes two captured copies
// of one packet recognizable.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture.h"
#include "reference_key.h"
#include "reference_options.h"

namespace reference {

struct TcpSegment {
  uint32_t sequence = 0;
  uint32_t acknowledgement = 0;
  uint16_t window = 0;
  uint8_t flags = 0;
  int64_t payload = 0;  // bytes, by the IP header

  bool fin() const { return flags & 1; }
  bool syn() const { return flags & 2; }
  bool rst() const { return flags & 4; }
  bool ack() const { return flags & 16; }
};

enum class Transport { fine, too_short, malformed };

struct Packet {
  FlowKey key;
  int64_t length = 0;             // of the IP packet
  std::optional<TcpSegment> tcp;  // only with a usable TCP header
  Transport transport = Transport::fine;
  std::vector<uint8_t> identity;  // empty: nothing to compare, never a duplicate
  bool anonymous = false;         // the IP header gives the packet no number of its own
};

struct Decoded {
  Packet packet;
  std::optional<Ignored> ignored;  // why there is none
};

// Of most frames one. Those of an A-MSDU in their order.
std::vector<Decoded> decode(const Frame& frame, const Options& options);

}  // namespace reference
