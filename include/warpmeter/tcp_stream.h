// What TCP carried: connections, and blocks of their bytes in order, each byte once (docs/streams.md).
//
// A connection is both directions of one incarnation of a 5-tuple. What it carries comes in blocks, each a list of
// sub-blocks: contiguous bytes of one direction, in the order in which they crossed the wire.
//
// Source: Chen, Lu, Shen, "Stream reassembly based on multicore NPU", 2014; first copy of a byte wins, RFC 9293 3.4 for
// sequence numbers.
//
// Threads: blocks of one connection come in order, from one thread at a time; see StreamConsumer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "warpmeter/flow_key.h"

// The list of what is counted of a direction of a TCP stream: members, sums and outputs follow from it, in its order.
//
// COUNTER(name), each a std::uint64_t:
//   segments               TCP segments
//   data_segments          of these with payload, and without RST
//   submitted_bytes        in blocks
//   repeated_segments      with nothing new
//   repeated_bytes         that were there before
//   conflicting_bytes      of the repeated ones, those that differ from what still waits
//   late_bytes             whose place was given up before
//   cut_bytes              of payload that was not captured
//   out_of_order_segments  new bytes only, which start below the highest end
//   gap_bytes              given up
// clang-format off
#define WARPMETER_STREAM_COUNTERS(COUNTER)                                                              \
  COUNTER(segments) COUNTER(data_segments) COUNTER(submitted_bytes) COUNTER(repeated_segments)          \
  COUNTER(repeated_bytes) COUNTER(conflicting_bytes) COUNTER(late_bytes) COUNTER(cut_bytes)             \
  COUNTER(out_of_order_segments) COUNTER(gap_bytes)
// clang-format on

namespace warpmeter {

enum class StreamSide : std::uint8_t { client, server };  // who sent

// Why a block was submitted, and why a connection ended (of which size is no reason).
enum class StreamReason : std::uint8_t { none, size, fin, rst, timeout, reuse, end, memory };

// In the words of every output and summary, by number.
inline constexpr std::array<const char*, 8> kStreamReasonWords = {"none",    "size",  "fin", "rst",
                                                                  "timeout", "reuse", "end", "memory"};

constexpr const char* word_of(StreamReason reason) { return kStreamReasonWords[static_cast<std::size_t>(reason)]; }

struct TcpConnection {
  FlowKey key;  // source is the client
  // Number of the packet that made it known, and how many are before it in a frame that holds several, all of that
  // number: no two connections have both of them the same.
  std::uint64_t opened_packet : 48 = 0;
  std::uint64_t opened_in_frame : 16 = 0;
  std::int64_t opened_ns = 0;  // its time, since 1970 UTC
  std::uint64_t tag = 0;       // for the consumer, 0 at first
};

using StreamPiece = std::span<const std::uint8_t>;

struct SubBlock {
  StreamSide side = StreamSide::client;
  std::uint64_t offset = 0;             // of its first byte, in its direction
  std::uint64_t gap = 0;                // bytes before it that were given up
  std::uint64_t length = 0;             // bytes
  std::span<const StreamPiece> pieces;  // that hold them, in order; one, unless spans were asked for
};

struct StreamBlock {
  StreamReason reason = StreamReason::none;
  std::uint64_t packet = 0;  // that caused it; 0: none did
  std::span<const SubBlock> sub_blocks;
};

struct StreamGap {
  std::uint64_t offset, length;
  friend bool operator==(const StreamGap&, const StreamGap&) = default;
};

struct StreamCounters {
#define WARPMETER_ONE(name) std::uint64_t name = 0;
  WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE

  void add(const StreamCounters& other) {
#define WARPMETER_ONE(name) name += other.name;
    WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE
  }
  friend bool operator==(const StreamCounters&, const StreamCounters&) = default;
};

struct StreamDirection {
  StreamCounters counters;
  bool syn = false, fin = false;    // was seen
  bool finished = false;            // FIN, and all before it
  bool complete = false;            // SYN, FIN, and no gap: its sub-blocks are all that was sent
  std::span<const StreamGap> gaps;  // that were given up, in order
};

// What is known of a connection at its end.
struct ConnectionReport {
  StreamReason end = StreamReason::none;
  std::int64_t last_ns = 0;                   // the latest time of its segments
  std::uint64_t max_buffered = 0;             // most bytes that waited
  std::array<StreamDirection, 2> directions;  // by StreamSide
};

// Who takes blocks. What it is given stays until it returns; what it throws ends the run.
//
// Several consumers may share the connections, by channels: each is called by one thread at a time, and all that a
// connection has goes to one of them. Whoever is slow is waited for.
class StreamConsumer {
 public:
  virtual ~StreamConsumer() = default;
  virtual void opened(TcpConnection&) {}
  virtual void take(TcpConnection& connection, const StreamBlock& block) = 0;
  virtual void ended(TcpConnection&, const ConnectionReport&) {}  // its last call
};

}  // namespace warpmeter
