// Packets, as tests of the memory tables write them down, and the tables of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "command/memory/stream_memory.h"
#include "core/flow_hash.h"
#include "core/segment_batch.h"

namespace warpmeter::test {

struct TracePacket {
  std::int64_t time_ns = 0;
  std::uint32_t connection = 1;
  bool reply = false;  // from the other end
  std::uint32_t sequence = 0, payload = 0;
  std::uint8_t flags = 0;
  std::uint32_t length = 40;
  bool tcp = true;
};

inline constexpr std::int64_t kSecond = 1'000'000'000;

inline FlowKey key_of(const TracePacket& packet) {
  FlowKey key;
  key.version = 4;
  key.protocol = packet.tcp ? kProtocolTcp : kProtocolUdp;
  std::memcpy(key.source, &packet.connection, sizeof packet.connection);
  key.destination[0] = 10;
  set_port_number(key.source_port, 40000);
  set_port_number(key.destination_port, 80);
  return packet.reply ? swapped(key) : key;
}

inline void append(SegmentBatch& batch, const TracePacket& packet, const HashSeed& seed) {
  batch.make_room(1);
  Segment segment;
  segment.time_ns = packet.time_ns;
  segment.length = packet.length;
  segment.payload_length = packet.payload;
  segment.sequence = packet.sequence;
  segment.flags = packet.flags;
  segment.kind = packet.tcp ? kTcpSegment : 0;
  const FlowKey key = key_of(packet);
  batch.push(key, hash_flow(key, seed), segment);
}

// In batches of so many.
inline MemoryTables tables_of(const std::vector<TracePacket>& trace, std::size_t in_batch = 3,
                              std::uint64_t memory = std::uint64_t{1} << 30) {
  const HashSeed seed(7);
  StreamMemory streams(seed, memory);
  for (std::size_t begin = 0; begin < trace.size(); begin += in_batch) {
    SegmentBatch batch(4);
    batch.reset(0);
    for (std::size_t i = begin; i < trace.size() && i < begin + in_batch; ++i) append(batch, trace[i], seed);
    TcpPackets packets;
    packets.take(batch, seed);
    streams.take(packets);
  }
  return streams.tables();
}

}  // namespace warpmeter::test
