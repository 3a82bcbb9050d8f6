// What of a frame matters to streams: the ends, the TCP header, and the payload as far as it was captured.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "capture.h"
#include "oracle_streams.h"

namespace reference {

struct OracleSegment {
  int version = 0;
  Endpoint source, destination;
  uint32_t sequence = 0;
  uint32_t acknowledgement = 0;
  uint8_t flags = 0;
  int64_t payload = 0;            // bytes, by the IP header
  std::span<const uint8_t> data;  // what of it was captured; points into the frame
  int64_t number = 0;             // of the frame
  int64_t in_frame = 0;           // packets before it there
  int64_t time = 0;

  bool fin() const { return flags & 1; }
  bool syn() const { return flags & 2; }
  bool rst() const { return flags & 4; }
  bool ack() const { return flags & 16; }
};

// Those of a frame with a whole header: of most frames one or none. `number` is the frame's.
std::vector<OracleSegment> segments_of(const Frame& frame, bool decapsulate, int64_t number);

}  // namespace reference
