// How streams are put together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/flow_hash.h"

namespace warpmeter::inline stream {

// Which copy of a byte that came twice is kept, while it waits: docs/streams.md, "Which copy wins".
enum class OverlapPolicy : std::uint8_t { first, last, bsd, linux_, windows };

struct ReassemblerOptions {
  std::uint32_t block_size = 16 << 10;       // bytes, 1K to 256K
  std::int64_t timeout_ns = 64'000'000'000;  // of silence; 0: never
  std::uint32_t gap_packets = 8;             // pieces of data behind a gap that it waits for; then it is skipped
  OverlapPolicy overlap = OverlapPolicy::first;
  std::uint64_t memory = 0;  // bytes, of all shards together; 0: no limit
  bool by_rings = false;     // the two directions of a connection may come with a delay between them; their times tell
  bool spans = false;        // blocks point into the frames, and hold nothing that came in order; with `first` alone
  // At each packet what is in order by then leaves, as in blocks of one byte, from a buffer that the connection keeps.
  bool each_packet = false;
};

// Of one of kShards shards, which has its part of the memory: five sixteenths of all are for what lies between what is
// used, as much as where of many connections in each slab one goes on.
inline ReassemblerOptions of_one_shard(ReassemblerOptions options) {
  if (options.memory != 0) options.memory = std::max<std::uint64_t>(options.memory / kShards / 16 * 11, 1);
  return options;
}

// Bytes that buffers of one of so many owners keep without use.
inline std::size_t most_free_of(const ReassemblerOptions& options, unsigned owners) {
  if (options.memory == 0) return std::numeric_limits<std::size_t>::max();
  return static_cast<std::size_t>(options.memory / 32 / owners);
}

}  // namespace warpmeter::inline stream
