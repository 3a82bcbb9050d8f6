// What is kept of a live connection: the "TCB". Of each direction where in the sequence space it is, and what was
// counted; of both together the list of what waits.
//
// Numbers are unwrapped sequence numbers (core/sequence_numbers.h).
//
// Threads: one owner (a Reassembler).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <vector>

#include "tcp/range_set.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter {

using RunNumber = std::uint32_t;  // of RunPool; 0: none

// What few directions have.
struct RareStream {
  explicit RareStream(std::pmr::memory_resource& memory) : cut(memory), runs(&memory) {}

  std::vector<StreamGap> gaps;                  // that were given up, ascending
  RangeSet cut;                                 // payload that was not captured; none below the position
  std::pmr::map<std::int64_t, RunNumber> runs;  // by their start, while is_indexed
  bool is_indexed = false;
};

struct Stream {
  bool knows_position() const { return has_position; }
  // A payload byte has been in the list.
  bool carried() const { return has_carried; }

  std::int64_t highest = 0;                   // end of all segments without RST; valid with has_segments
  std::int64_t lowest = 0;                    // start of them
  std::int64_t position = 0;                  // all below was submitted or given up; valid with has_position
  std::int64_t base = 0;                      // offset 0; valid with has_position
  RunNumber lowest_run = 0, highest_run = 0;  // of this direction in the list
  bool has_segments = false, has_position = false, has_isn = false, has_fin = false, has_carried = false;
  bool is_ambiguous = false;  // answered with several ISNs before any byte
  bool is_finished = false;
  bool is_blocked = false;     // `reached` is a number that is missing
  bool knows_reached = false;  // `reached` is valid
  std::unique_ptr<RareStream> rare;
  std::int64_t isn = 0;      // valid with has_isn
  std::int64_t fin = 0;      // FIN's own number; valid with has_fin
  std::int64_t reached = 0;  // all from the position, or the start of the list, to here is there or was cut
  StreamCounters counters;
};

inline RareStream& rare_of(Stream& stream, std::pmr::memory_resource& memory) {
  if (!stream.rare) stream.rare = std::make_unique<RareStream>(memory);
  return *stream.rare;
}

struct alignas(64) Tcb : TcpConnection {
  std::array<Stream, 2> streams;  // by StreamSide
  std::int64_t last_ns = 0;
  std::uint64_t hash = 0;
  std::uint64_t progress = 0;      // packet that last brought something new, or made it known
  std::uint8_t* buffer = nullptr;  // that bytes of the list lie in
  std::uint32_t used = 0, capacity = 0;
  std::uint64_t buffered = 0;  // bytes in the list
  std::uint64_t max_buffered = 0;
  std::uint32_t entries = 0;                 // in the list
  RunNumber first = 0, last = 0;             // of the list
  StreamReason closed = StreamReason::none;  // fin or rst, once it was
  std::uint32_t number = 0;                  // in the table
  bool is_large = false;                     // has filled a block
  bool in_use = false;
};

}  // namespace warpmeter
