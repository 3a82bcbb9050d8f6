// Puts a block together: sub-blocks of what leaves a connection's list, in its order. The position of a direction moves
// with what is added, and what it passes over is given up.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <memory_resource>
#include <span>

#include "stream/reassembly/shared_buffers.h"
#include "stream/reassembly/tcb.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline stream {

class BlockBuilder {
 public:
  // `parts`: for one block at a time. Gaps of directions lie in `memory`. Both must outlive it.
  BlockBuilder(BlockParts& parts, std::pmr::memory_resource& memory) : parts_(parts), memory_(memory) {}

  // The next block begins.
  void begin() { parts_.clear_sub_blocks(); }
  // The next bytes of the list, which begin with the number `start` of their direction.
  void add(Stream& stream, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length);
  // All sub-blocks. `in_one_piece`: a sub-block whose bytes do not lie behind each other is copied.
  std::span<const SubBlock> finish(bool in_one_piece);
  // The block is not needed any more.
  void forget() { parts_.forget_many(); }

  // What is missing at the end of a direction, if its FIN tells. REQUIRES: nothing of it waits.
  void give_up_end(Stream& stream);

 private:
  void begin_sub_block(const Stream& stream, StreamSide side, std::uint64_t gap);
  void give_up(Stream& stream, std::uint64_t gap);

  BlockParts& parts_;
  std::pmr::memory_resource& memory_;
};

}  // namespace warpmeter::inline stream
