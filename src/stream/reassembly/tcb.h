// What is kept of a live connection: the "TCB". Of each direction where in the sequence space it is, and what was
// counted; of both together the list of what waits.
//
// Numbers are unwrapped sequence numbers (core/sequence_numbers.h).
//
// Threads: one owner (a Reassembler).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <vector>

#include "core/payload_batch.h"
#include "core/prefetch.h"
#include "stream/reassembly/range_set.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline stream {

// What is known of a direction, as one value: where its numbers begin, and how far its end has come.
//
// It says which numbers of a Stream are valid. Every change is a step that has a name; a step that the state has taken
// before changes nothing.
//
// Source: docs/streams.md.
class StreamState {
 public:
  // Were there segments?
  bool has_segments() const { return start_ >= Start::unplaced; }
  // Is it known where the bytes begin that were neither submitted nor given up?
  bool has_position() const { return start_ >= Start::placed; }
  bool has_isn() const { return start_ == Start::isn; }
  // Was its SYN answered with several ISNs before any byte?
  bool is_ambiguous() const {
    return start_ == Start::ambiguous || start_ == Start::ambiguous_unplaced || start_ == Start::ambiguous_placed;
  }
  bool has_fin() const { return end_ != End::open; }
  bool is_finished() const { return end_ == End::finished; }

  void see_segment() {
    if (!has_segments()) start_ = is_ambiguous() ? Start::ambiguous_unplaced : Start::unplaced;
  }
  // REQUIRES: has_segments().
  void place() {
    if (!has_position()) start_ = is_ambiguous() ? Start::ambiguous_placed : Start::placed;
  }
  // REQUIRES: has_position(), and is_ambiguous() does not hold.
  void see_isn() { start_ = Start::isn; }
  // The ISN was one of several. REQUIRES: no byte has come, and no FIN.
  void forget_start() { start_ = Start::ambiguous; }
  void see_fin() {
    if (end_ == End::open) end_ = End::fin;
  }
  // All bytes up to the FIN have come. REQUIRES: has_fin().
  void finish() { end_ = End::finished; }

 private:
  // By how much is known; of what is ambiguous the same is known as of the one before.
  enum class Start : std::uint8_t {
    silent,  // no segment
    ambiguous,
    unplaced,  // segments, but neither an ISN nor a position
    ambiguous_unplaced,
    placed,  // by what was submitted first
    ambiguous_placed,
    isn
  };
  enum class End : std::uint8_t { open, fin, finished };

  Start start_ = Start::silent;
  End end_ = End::open;
};

using ExtentNumber = std::uint32_t;  // of ExtentPool; 0: none

// Extents that lie behind each other, as one: their bytes once more, to be compared with what is sent again.
struct JoinedExtents {
  std::int64_t end;
  ExtentNumber last;
  std::pmr::vector<std::uint8_t> bytes;
};

// What few directions have.
struct StreamExtras {
  explicit StreamExtras(std::pmr::memory_resource& memory)
      : gaps(&memory), gap_sums(&memory), cut(memory), extents(&memory), joined(&memory) {}

  // It lies in that memory, too.
  struct Delete {
    void operator()(StreamExtras* extras) const {
      std::pmr::polymorphic_allocator<>(extras->gaps.get_allocator().resource()).delete_object(extras);
    }
  };

  std::pmr::vector<StreamGap> gaps;                   // that were given up, ascending
  std::pmr::vector<std::uint64_t> gap_sums;           // of each of them: its length, and those of all before it
  RangeSet cut;                                       // payload that was not captured; none below the position
  std::pmr::map<std::int64_t, ExtentNumber> extents;  // by their start, while is_indexed
  bool is_indexed = false;
  std::pmr::map<std::int64_t, JoinedExtents> joined;  // by their start; of extents that segments have passed over
};

// A direction: first what nearly every segment needs.
struct alignas(64) Stream {
  std::int64_t highest = 0;   // end of all segments without RST; valid with state.has_segments()
  std::int64_t next = 0;      // that the in-order buffer takes: the end of what it has, else the position; 0: any
  std::int64_t position = 0;  // all below was submitted or given up; 0 without state.has_position()
  std::uint64_t segments = 0, data_segments = 0;
  ExtentNumber lowest_extent = 0, highest_extent = 0;  // of this direction
  StreamState state;
  bool is_passed = false;  // of a muted connection in which nothing waits

  std::int64_t lowest = 0;           // start of all segments without RST, until an ISN is known
  std::int64_t base = 0;             // offset 0; valid with state.has_position()
  std::int64_t isn = 0;              // valid with state.has_isn()
  std::int64_t fin = 0;              // FIN's own number; valid with state.has_fin()
  ExtentNumber recent_extent = 0;    // that was asked for, or put in; 0: none
  std::uint32_t open_gaps = 0;       // between its extents, that the capture has not cut
  ExtentNumber latest_in_frame = 0;  // extent whose bytes are in a frame; 0: none
  std::unique_ptr<StreamExtras, StreamExtras::Delete> extras;
  StreamCounters counters;  // but for segments, which are above

  bool has_in_order() const { return next != position; }  // bytes in the in-order buffer
  // Has a payload byte been in the list?
  bool has_carried() const { return has_in_order() || lowest_extent != 0 || counters.submitted_bytes > 0; }
};

inline StreamExtras& extras_of(Stream& stream, std::pmr::memory_resource& memory) {
  if (!stream.extras) stream.extras.reset(std::pmr::polymorphic_allocator<>(&memory).new_object<StreamExtras>(memory));
  return *stream.extras;
}

// The list has two parts. The in-order buffer, in which nothing is missing, has bytes at its front, and at its back an
// InOrderSubBlock for each sub-block that they will be, but for the last one, which is here. Behind it come extents
// (extent_pool.h): what is behind a gap, and what came in another order. Few lists have any.
struct InOrderSubBlock {
  InOrderSubBlock() = default;
  explicit InOrderSubBlock(StreamSide side) : packed(static_cast<std::uint32_t>(side)) {}

  StreamSide side() const { return static_cast<StreamSide>(packed & 1); }
  std::uint32_t entries() const { return packed >> 1; }
  void add(std::uint32_t bytes, std::uint32_t entries) {
    length += bytes;
    packed += entries << 1;
  }

  std::uint32_t length = 0;  // bytes; 0: there is none

 private:
  std::uint32_t packed = 0;  // entries, and the side
};

// First a line for the consumer, then one with what nearly every segment needs.
struct alignas(64) Tcb : TcpConnection {
  alignas(64) std::uint64_t addresses4 = 0;  // as a segment of the client has them; IPv6: 0
  std::int64_t last_ns = 0;
  std::uint64_t progress = 0;      // packet that last brought something new, or made it known
  std::uint8_t* buffer = nullptr;  // of what is in order
  std::uint32_t used = 0;          // bytes of it
  std::uint32_t room = 0;          // up to the InOrderSubBlocks, one of which there is always room for; 0: no buffer
  InOrderSubBlock last_sub_block;  // the last one
  std::uint32_t buffered = 0;      // bytes in the list
  ExtentNumber first = 0;          // extent; 0: none
  std::uint32_t ports = 0;         // as a segment of the client has them
  std::uint8_t version = 0;        // of IP; 0: not in use
  bool has_fin = false;            // of either direction, not both of which are finished
  StreamReason closed = StreamReason::none;  // fin or rst, once it was
  bool is_large : 1 = false;                 // has filled a block
  bool is_reset : 1 = false;  // by an RST whose number fits: an ISN that comes again is another incarnation's
  bool is_muted : 1 = false;  // nobody looks at its blocks

  std::array<Stream, 2> streams;  // by StreamSide

  std::uint64_t hash = 0;
  ExtentNumber last = 0;                         // extent; 0: none
  std::uint32_t number = 0;                      // in the table
  std::uint32_t capacity = 0;                    // of the buffer
  std::uint32_t buffer_slab = 0, held_slab = 0;  // that these are of
  std::uint32_t max_buffered = 0;                // before what is in the list now
  std::uint8_t* held = nullptr;                  // buffer that the bytes of extents lie in, unless they are spans
  std::uint32_t held_used = 0;                   // bytes of it, from the front
  std::uint32_t held_capacity = 0;
  std::uint32_t extent_entries = 0;  // in extents
  std::uint32_t detached = 0;        // bytes of the buffer whose pieces are held
  // So that it is nine cache lines: either there are spans, or bytes of extents are copied.
  union {
    std::uint64_t spans_since = 0;  // packet of the oldest frame that extents may point into; 0: they point into none
    std::uint32_t held_room;        // up to what is put in from behind, as it comes in reverse
  };

  bool in_use() const { return version != 0; }

  // Is it the connection of this segment? Then tells who sent it.
  bool is_of(const PayloadSegment& s, StreamSide& side) const {
    if (s.version != version) return false;
    const bool same_ports = s.ports == ports, turned_ports = s.ports == std::rotl(ports, 16);
    bool same, turned;
    if (s.version == 4) {
      same = same_ports & (s.addresses4 == addresses4);
      turned = turned_ports & (s.addresses4 == std::rotl(addresses4, 32));
    } else {
      same = same_ports && std::memcmp(s.addresses6, key.source, 32) == 0;
      turned = turned_ports && std::memcmp(s.addresses6, key.destination, 16) == 0 &&
               std::memcmp(s.addresses6 + 16, key.source, 16) == 0;
    }
    if (!(same | turned)) return false;
    unsigned sender = !same;
    asm("" : "+r"(sender));  // half of the segments come either way: no branch would be foreseen
    side = static_cast<StreamSide>(sender);
    return true;
  }

  // The InOrderSubBlocks are 0 .. in_order_sub_blocks() - 1.
  std::uint32_t in_order_sub_blocks() const { return described() + (last_sub_block.length > 0); }
  InOrderSubBlock in_order_sub_block(std::uint32_t i) const { return i < described() ? described(i) : last_sub_block; }

  // The next sub-block begins. REQUIRES: room.
  void begin_in_order_sub_block() {
    if (last_sub_block.length == 0) return;
    room -= static_cast<std::uint32_t>(sizeof(InOrderSubBlock));
    std::memcpy(buffer + room, &last_sub_block, sizeof last_sub_block);
  }

  // What is in order is elsewhere now.
  void forget_in_order() {
    used = detached = 0;
    room = capacity;
    last_sub_block = {};
    for (Stream& stream : streams) stream.next = stream.position;
  }

  void prefetch_all() const {
    for (std::size_t line = 0; line < sizeof *this; line += kCacheLine)
      prefetch_to_write(reinterpret_cast<const std::uint8_t*>(this) + line);
  }
  void prefetch_first() const {
    prefetch(&addresses4);
    prefetch(&streams[0]);
    prefetch(&streams[1]);
  }

 private:
  std::uint32_t described() const { return (capacity - room) / static_cast<std::uint32_t>(sizeof(InOrderSubBlock)); }
  InOrderSubBlock described(std::uint32_t i) const {
    InOrderSubBlock sub_block;
    std::memcpy(&sub_block, buffer + capacity - (i + 1) * sizeof sub_block, sizeof sub_block);
    return sub_block;
  }
};
static_assert(sizeof(Tcb) == 576);
static_assert(offsetof(FlowKey, destination) == offsetof(FlowKey, source) + 16);

inline Stream& stream_of(Tcb& c, StreamSide side) { return c.streams[static_cast<int>(side)]; }
inline const Stream& stream_of(const Tcb& c, StreamSide side) { return c.streams[static_cast<int>(side)]; }

}  // namespace warpmeter::inline stream
