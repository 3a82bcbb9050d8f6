// What of a connection is in order, while it waits for its block: bytes of both directions, in which nothing is
// missing; and the BlockBuilder, which puts that block together.
//
// An entry goes to the end if it follows: if it begins with the next number of its direction. Nearly every segment
// comes this way, and nothing but this takes it.
//
// `Storage`: stream_storage.h. REQUIRES, of all calls: the list has no extents before what is put here.
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory_resource>
#include <span>

#include "core/prefetch.h"
#include "stream/reassembly/shared_buffers.h"
#include "stream/reassembly/stream_storage.h"
#include "stream/reassembly/tcb.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline stream {

template <class Storage>
class InOrderBuffer {
 public:
  // Which must outlive it.
  explicit InOrderBuffer(Storage& storage) : storage_(storage) {}

  static bool is_empty(const Tcb& c) { return c.last_sub_block.length == 0; }
  // Does nothing miss between what is here and this?
  static bool follows(const Stream& stream, std::int64_t start) { return start == stream.next || stream.next == 0; }
  // Is there room for a payload of this length?
  static bool fits(const Tcb& c, std::uint32_t length) {
    return c.used + Storage::size(length) + 2 * sizeof(InOrderSubBlock) <= c.room;
  }

  // Puts in an entry, or several that lie behind each other. REQUIRES: it follows, and fits.
  void append(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
              std::uint32_t entries) {
    if (is_empty(c) || c.last_sub_block.side() != side) {
      c.begin_in_order_sub_block();
      c.last_sub_block = InOrderSubBlock(side);
    }
    c.last_sub_block.add(length, entries);
    storage_.append(c, data, length, entries);
    c.buffered += length;
    stream_of(c, side).next = start + length;
  }
  // The same; makes room for it.
  void put(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
           std::uint32_t entries) {
    if (!fits(c, length)) storage_.grow_in_order(c, Storage::size(length));
    append(c, side, start, data, length, entries);
  }

  // Asks for where the next payload of this length will go: for its first lines, as the machine sees by itself where a
  // long one goes on. None of it is a branch, which lengths would decide, and nobody foresees these.
  static void prefetch_room(const Tcb& c, std::uint32_t length) {
    constexpr std::uint32_t kLines = 4;
    const std::uint8_t* const to = c.buffer + c.used;
    const std::uint32_t last = std::min<std::uint32_t>(Storage::size(length), kLines * kCacheLine);
    for (std::uint32_t i = 0; i <= kLines; ++i) prefetch_to_write(to + last * i / kLines);
  }

  // A direction without a position gets that of its first byte here.
  static void place(Tcb& c) {
    for (Stream& stream : c.streams) {
      if (!stream.has_in_order() || stream.state.has_position()) continue;
      std::int64_t start = stream.next;
      for (std::uint32_t i = 0; i < c.in_order_sub_blocks(); ++i) {
        const InOrderSubBlock sub_block = c.in_order_sub_block(i);
        if (&stream_of(c, sub_block.side()) == &stream) start -= sub_block.length;
      }
      stream.base = stream.position = start;
      stream.state.place();
    }
  }

  // What was here has left, in a block. The buffer stays.
  static void clear(Tcb& c) {
    c.buffered -= Storage::bytes_in_order(c);
    c.forget_in_order();
  }

 private:
  Storage& storage_;
};

// Puts a block together: sub-blocks of what leaves a connection's list, in its order. The position of a direction moves
// with what is added, and what it passes over is given up.
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
