// Which streams a reassembler would have to keep, and how many bytes of them, for each of some timeouts and block sizes
// at once: the memory tables of a trace (docs/memory.md says what is counted).
//
// Nearly nothing is done nine or eighty-one times: timeouts behave alike until a connection pauses
// (ConnectionState), and sums are taken where something ends (over_time.h).
//
// Threads: one at a time, batches in trace order.
#pragma once

#include <cstdint>

#include "command/memory/connection_table.h"
#include "command/memory/due_times.h"
#include "command/memory/memory_cells.h"
#include "command/memory/over_time.h"
#include "command/memory/tcp_packets.h"
#include "core/hash_seed.h"

namespace warpmeter::inline command {

class StreamMemory {
 public:
  // `memory`: bytes. If connections need more than half of it, those that are dead are forgotten, then the longest
  // silent ones end; if gaps between bytes need more than a quarter, all gaps are closed.
  StreamMemory(const HashSeed& hash_seed, std::uint64_t memory) : memory_(memory), table_(hash_seed) {}

  void take(const TcpPackets& packets);

  // Of all that was taken.
  MemoryTables tables();

 private:
  void take(const TcpPacket& packet, const FlowKey& ends, std::uint64_t now);
  std::uint32_t number_of(const TcpPacket& packet, const FlowKey& ends);
  std::uint64_t new_bytes(ConnectionState& state, const TcpPacket& packet);

  void live_under_all(ConnectionState& state, std::uint64_t now);
  void buffer(ConnectionState& state, std::uint64_t bytes, std::uint64_t now);
  void buffer(HeldBytes& held, std::uint32_t begin, std::uint64_t bytes, std::uint64_t now);
  void end(ConnectionState& state, std::uint64_t now);
  void end_shortest(ConnectionState& state);
  void end_what_is_due(std::uint64_t now);
  void look_again(std::uint32_t number);

  void keep_within_memory();
  void make_room();
  void end_longest_silent();
  void let_go(ConnectionState& state);

  const std::uint64_t memory_;
  ConnectionTable table_;
  DueTimes due_;
  LivingStreams streams_;
  BufferedBytes buffered_;
  SeenTotals seen_;
  std::uint64_t ages_memory_ = 0;
  std::uint64_t packets_ = 0, ip_bytes_ = 0;
  std::int64_t first_ns_ = 0, latest_ns_ = 0;
  std::uint64_t forgotten_ = 0, ended_early_ = 0;
};

}  // namespace warpmeter::inline command
