// What the shards of one owner share: buffers that bytes wait in, and what is needed for one call at a time. Each shard
// with room of its own for that would hold, of all of them, more than some limits of memory.
//
// Threads: one owner.
#pragma once

#include <malloc.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <vector>

#include "core/sequence_numbers.h"
#include "stream/reassembly/block_buffers.h"
#include "stream/reassembly/counted_memory.h"
#include "stream/reassembly/extent_pool.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline stream {

// What a segment brings, and what a block is put together of.
struct BlockParts {
  std::vector<NumberRange> new_ranges;
  std::vector<InOrderPiece> in_order_pieces;
  std::vector<SubBlock> sub_blocks;
  std::vector<std::size_t> first_piece;  // of each sub-block
  std::vector<StreamPiece> pieces;
  std::vector<std::uint8_t> gathered;

  // The next block begins.
  void clear_sub_blocks() {
    sub_blocks.clear();
    first_piece.clear();
    pieces.clear();
  }

  // Those of a block of tiny pieces are larger than it.
  void forget_many() {
    constexpr std::size_t kMostPieces = 512, kMostGathered = 32 << 10;
    if (gathered.size() > kMostGathered) give_room_back(gathered);
    if (pieces.size() <= kMostPieces) return;
    give_room_back(pieces);
    give_room_back(first_piece);
    give_room_back(sub_blocks);
    give_room_back(in_order_pieces);
    give_room_back(new_ranges);
  }
};

struct SharedBuffers {
  // As of BlockBuffers.
  SharedBuffers(std::uint32_t block_size, std::pmr::memory_resource& memory,
                std::size_t most_free = std::numeric_limits<std::size_t>::max())
      : blocks(block_size, memory, most_free) {}

  // So many bytes were given back to the heap, for want of memory: from time to time it gives its pages to the system.
  // By itself it keeps all that lies below something in use.
  void note_given_back(std::uint64_t bytes) {
    constexpr std::uint64_t kMuch = 4 << 20;
    given_back += bytes;
    if (given_back < kMuch) return;
    given_back = 0;
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }

  BlockBuffers blocks;
  BlockParts parts;
  std::uint64_t given_back = 0;  // since then
};

}  // namespace warpmeter::inline stream
