// What is kept of a live connection: the "TCB". Of each direction where in the sequence space it is, and what was
// counted; of both together the list of what waits.
//
// Numbers are unwrapped sequence numbers (core/sequence_numbers.h).
//
// Threads: one owner (a Reassembler).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <memory_resource>
#include <vector>

#include "core/prefetch.h"
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

// A direction: first what nearly every segment needs.
struct alignas(64) Stream {
  std::int64_t highest = 0;   // end of all segments without RST; valid with has_segments
  std::int64_t next = 0;      // end of what is in the plain part; valid with in_plain
  std::int64_t position = 0;  // all below was submitted or given up; valid with has_position
  std::uint64_t segments = 0, data_segments = 0;
  RunNumber lowest_run = 0, highest_run = 0;  // of this direction
  bool has_segments = false, has_position = false, has_isn = false, has_fin = false;
  bool has_carried = false;   // a payload byte has been in the list
  bool in_plain = false;      // it has bytes in the plain part
  bool is_ambiguous = false;  // answered with several ISNs before any byte
  bool is_finished = false;
  bool is_blocked = false;     // `reached` is a number that is missing
  bool knows_reached = false;  // `reached` is valid

  std::int64_t lowest = 0;   // start of all segments without RST, until an ISN is known
  std::int64_t base = 0;     // offset 0; valid with has_position
  std::int64_t isn = 0;      // valid with has_isn
  std::int64_t fin = 0;      // FIN's own number; valid with has_fin
  std::int64_t reached = 0;  // all from the position, or the start of the list, to here is there or was cut
  std::unique_ptr<RareStream> rare;
  StreamCounters counters;  // but for segments, which are above
};

inline RareStream& rare_of(Stream& stream, std::pmr::memory_resource& memory) {
  if (!stream.rare) stream.rare = std::make_unique<RareStream>(memory);
  return *stream.rare;
}

// The list has two parts. The plain one, in which nothing is missing, is bytes from the front of a buffer, and from its
// back a PlainRun for each sub-block that they will be. Behind it come runs (run_pool.h): what is behind a gap, and
// what came in another order; few lists have any.
struct PlainRun {
  std::uint32_t length;  // bytes
  std::uint32_t entries : 31;
  std::uint32_t side : 1;  // StreamSide
};

struct alignas(64) Tcb : TcpConnection {
  std::uint8_t* buffer = nullptr;  // of the plain part
  std::int64_t last_ns = 0;
  std::uint64_t hash = 0;
  std::uint32_t used = 0, capacity = 0;  // of the buffer
  std::uint32_t plain_runs = 0;
  std::uint32_t buffered = 0;  // bytes in the list
  std::uint32_t max_buffered = 0;
  RunNumber first = 0, last = 0;             // run; 0: none
  std::uint32_t number = 0;                  // in the table
  StreamReason closed = StreamReason::none;  // fin or rst, once it was
  bool has_fin = false;                      // of either direction, not both of which are finished
  bool is_large = false;                     // has filled a block
  bool in_use = false;

  std::array<Stream, 2> streams;  // by StreamSide

  std::uint64_t progress = 0;    // packet that last brought something new, or made it known
  std::uint8_t* held = nullptr;  // buffer that the bytes of runs lie in, unless they are spans
  std::uint32_t held_used = 0, held_capacity = 0;
  std::uint32_t run_entries = 0;  // in runs

  // From the first, 0, on. REQUIRES: room for it.
  PlainRun& plain_run(std::uint32_t i) const { return *(reinterpret_cast<PlainRun*>(buffer + capacity) - (i + 1)); }
  // The bytes of the buffer that no PlainRun has.
  std::uint32_t plain_room() const { return capacity - plain_runs * static_cast<std::uint32_t>(sizeof(PlainRun)); }

  void prefetch_first() const {
    const char* const begin = reinterpret_cast<const char*>(this);
    prefetch(begin);
    prefetch(begin + 64);
    prefetch(&streams[0]);
    prefetch(&streams[1]);
  }
};
static_assert(offsetof(Tcb, streams) == 128);

inline Stream& stream_of(Tcb& c, StreamSide side) { return c.streams[static_cast<int>(side)]; }

}  // namespace warpmeter
