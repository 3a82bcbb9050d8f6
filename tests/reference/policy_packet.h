// A packet as policies see it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "capture.h"
#include "oracle_segment.h"
#include "packet.h"

namespace reference {

struct PolicyPacket {
  Packet packet;
  std::optional<OracleSegment> segment;  // of TCP with a usable header
  std::span<const uint8_t> payload;      // what was captured of it; points into the frame
  int64_t payload_length = 0;            // by the IP header
  uint16_t vlan = 0;                     // outermost id, 0: none
};

// Those of a frame that are metered, in their order. `number` is the frame's. With options.decapsulate the usual ports
// are those of tunnels.
std::vector<PolicyPacket> policy_packets_of(const Frame& frame, const Options& options, int64_t number);

}  // namespace reference
