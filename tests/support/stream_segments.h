// Segments as a Reassembler takes them, and what it gives, without frames and without a source.
#pragma once

#include <cstdint>
#include <span>

#include "core/payload_batch.h"
#include "stream/reassembly/reassembler.h"

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

// Of these ends. Its payload is that length, of which these bytes were captured.
inline PayloadSegment stream_segment(std::uint16_t source_port, std::uint16_t destination_port, std::uint8_t flags,
                                     std::uint32_t sequence, std::uint32_t acknowledged, std::uint32_t length,
                                     std::span<const std::uint8_t> captured, std::int64_t time_ns) {
  const HashedKey key = hashed_key(stream_key(source_port, destination_port));
  PayloadSegment s{};
  s.version = 4;
  s.addresses4 = key.source_high | key.destination_high << 32;
  s.ports = static_cast<std::uint32_t>(key.rest);
  s.hash = hash_ends(s, {});
  s.data = captured.data();
  s.captured = static_cast<std::uint32_t>(captured.size());
  s.payload_length = length;
  s.time_ns = time_ns;
  s.sequence = sequence;
  s.acknowledged = acknowledged;
  s.flags = flags;
  return s;
}

}  // namespace warpmeter::test
