// Segments as a Reassembler takes them, and what it gives, without frames and without a source.
#pragma once

#include <cstdint>
#include <vector>

#include "core/payload_batch.h"
#include "tcp/reassembler.h"

namespace warpmeter::test {

// The key of a segment between two ends, which are told apart by their ports alone.
inline FlowKey stream_key(std::uint16_t source_port, std::uint16_t destination_port) {
  FlowKey key;
  key.version = 4;
  key.protocol = kProtocolTcp;
  key.source[0] = key.destination[0] = 10;
  set_port_number(key.source_port, source_port);
  set_port_number(key.destination_port, destination_port);
  return key;
}

inline Segment tcp_segment(std::uint8_t flags, std::uint32_t sequence, std::uint32_t acknowledgement,
                           std::uint32_t payload, std::int64_t time_ns) {
  Segment s;
  s.kind = kTcpSegment;
  s.flags = flags;
  s.sequence = sequence;
  s.identity_a = std::uint64_t{acknowledgement} << 32;
  s.payload_length = payload;
  s.length = payload + 40;
  s.time_ns = time_ns;
  return s;
}

}  // namespace warpmeter::test
