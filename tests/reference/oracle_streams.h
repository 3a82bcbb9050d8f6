// What the oracle says of TCP streams: connections with their blocks, and counters. The rules are those of
// docs/streams.md, written down once more, byte by byte, with no thought of speed.
//
// Two steps can be taken by themselves: OracleSegment (oracle_segment.h) is what a frame carries, StreamOracle puts
// segments together.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "capture.h"
#include "reference_key.h"

namespace reference {

// Which copy of a byte is kept, of those that came while it waited.
enum class Overlap { first, last, bsd, linux_, windows };

struct StreamOptions {
  int64_t block_size = 16384;
  int64_t timeout = 64'000'000'000;  // ns; 0: never
  int64_t gap_packets = 8;
  Overlap overlap = Overlap::first;
  bool decapsulate = false;
};

enum class Reason { none, size, fin, rst, timeout, reuse, end };

using Side = int;  // who sent
inline constexpr Side client = 0, server = 1;

// Contiguous bytes of one side.
struct StreamPart {
  Side side = client;
  int64_t offset = 0;
  int64_t gap = 0;  // bytes before it that were given up
  std::vector<uint8_t> bytes;

  friend bool operator==(const StreamPart&, const StreamPart&) = default;
};

struct StreamBlock {
  Reason reason = Reason::none;
  int64_t packet = 0;  // 0: none caused it
  std::vector<StreamPart> parts;

  friend bool operator==(const StreamBlock&, const StreamBlock&) = default;
};

struct StreamCounts {
  int64_t segments = 0, data_segments = 0, submitted_bytes = 0, repeated_segments = 0, repeated_bytes = 0,
          conflicting_bytes = 0, late_bytes = 0, cut_bytes = 0, out_of_order_segments = 0, gap_bytes = 0;

  friend bool operator==(const StreamCounts&, const StreamCounts&) = default;
};

struct StreamWay {
  StreamCounts counts;
  bool syn = false, fin = false, finished = false, complete = false;
  std::vector<std::pair<int64_t, int64_t>> gaps;  // offset, length

  friend bool operator==(const StreamWay&, const StreamWay&) = default;
};

struct Endpoint {
  Address address{};
  uint16_t port = 0;

  auto operator<=>(const Endpoint&) const = default;
};

struct StreamConnection {
  int version = 0;
  std::array<Endpoint, 2> ends;                    // by side
  int64_t opened_packet = 0, opened_in_frame = 0;  // packets before it in its frame
  int64_t opened_time = 0, latest_time = 0;
  Reason end = Reason::none;
  int64_t max_buffered = 0;
  std::array<StreamWay, 2> ways;  // by side
  std::vector<StreamBlock> blocks;

  friend bool operator==(const StreamConnection&, const StreamConnection&) = default;
};

struct Streams {
  std::vector<StreamConnection> connections;  // by the packet that made them known
  int64_t stray_segments = 0;

  friend bool operator==(const Streams&, const Streams&) = default;
};

// Several captures are one trace in the given order; `damage` takes what was damaged. Throws NotACapture.
Streams reassemble(std::span<const std::vector<uint8_t>> captures, const StreamOptions& options,
                   std::vector<Damage>* damage = nullptr);

// As JSON, with the SHA-256 of the bytes instead of them.
std::string json(const Streams& streams);

const char* word(Reason reason);

}  // namespace reference
