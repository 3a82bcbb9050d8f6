// Where the bytes of a list lie while they wait: the two kinds of storage, one of which is the template parameter of an
// InOrderBuffer and a ReassemblyQueue. They have the same members; what only one of them needs does nothing in the
// other.
//
// CopiedBytes copies each byte once, into the buffer that its block is given in. What has to wait behind a gap is held
// in another buffer until it moves there.
//
// FrameSpans copies nothing while it comes: the in-order buffer has pieces that point into frames, and so do extents.
// Before frames go, what points into them is copied (detach()).
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/byte_order.h"
#include "stream/reassembly/block_buffers.h"
#include "stream/reassembly/extent_pool.h"
#include "stream/reassembly/tcb.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline stream {

// copy_bytes(): memcpy() for what is mostly short, without a call up to 32 bytes.
namespace copy_bytes_detail {

struct Sixteen {
  std::uint64_t a, b;
};

// `length` from the size of T to twice that.
template <class T>
void copy_ends(std::uint8_t* to, const std::uint8_t* from, std::size_t length) {
  const T begin = load<T>(from), end = load<T>(from + length - sizeof(T));
  std::memcpy(to, &begin, sizeof begin);
  std::memcpy(to + length - sizeof end, &end, sizeof end);
}

}  // namespace copy_bytes_detail

inline void copy_bytes(std::uint8_t* to, const std::uint8_t* from, std::size_t length) {
  using namespace copy_bytes_detail;
  if (length > 32) std::memcpy(to, from, length);
  else if (length >= 16) copy_ends<Sixteen>(to, from, length);
  else if (length >= 8) copy_ends<std::uint64_t>(to, from, length);
  else if (length >= 4) copy_ends<std::uint32_t>(to, from, length);
  else
    for (std::size_t i = 0; i < length; ++i) to[i] = from[i];
}

// The buffers of connections, as both kinds have them: one for what is in order, one that bytes are held in.
class StorageBuffers {
 public:
  explicit StorageBuffers(BlockBuffers& buffers) : buffers_(buffers) {}

  // Room in the in-order buffer for so many more bytes of it.
  void grow_in_order(Tcb& c, std::size_t bytes);
  void give_back_in_order(Tcb& c) {
    if (!c.buffer) return;  // most that end have none
    give_back({c.buffer, c.capacity, c.buffer_slab});
    c.buffer = nullptr;
    c.capacity = c.room = 0;
  }

 protected:
  BlockBuffers::Buffer take(std::size_t bytes);
  void give_back(const BlockBuffers::Buffer& buffer);
  void give_back_held_buffer(Tcb& c) {
    if (!c.held) return;  // as above
    give_back({c.held, c.held_capacity, c.held_slab});
    c.held = nullptr;
    c.held_used = c.held_capacity = 0;
  }
  // Bytes are held in this buffer from now on, instead of the one before.
  void hold_in(Tcb& c, const BlockBuffers::Buffer& buffer, std::uint32_t used);
  std::uint64_t taken() const { return taken_; }

 private:
  BlockBuffers& buffers_;
  std::uint64_t taken_ = 0;  // bytes, of these
};

class CopiedBytes : public StorageBuffers {
 public:
  using StorageBuffers::StorageBuffers;

  static constexpr bool kPointsIntoFrames = false;

  // That so much payload takes in the in-order buffer.
  static std::uint32_t size(std::uint32_t length) { return length; }
  // Puts an entry, or several, at the end of the in-order buffer. REQUIRES: room for it.
  static void append(Tcb& c, const std::uint8_t* data, std::uint32_t length, std::uint32_t) {
    copy_bytes(c.buffer + c.used, data, length);
    c.used += length;
  }
  // Calls see(InOrderPiece) for all that the in-order buffer has.
  template <class See>
  static void for_each_piece(const Tcb& c, const See& see) {
    const std::uint8_t* at = c.buffer;
    for (std::uint32_t i = 0; i < c.in_order_sub_blocks(); ++i) {
      const InOrderSubBlock sub_block = c.in_order_sub_block(i);
      see(InOrderPiece{at, sub_block.length, sub_block.entries(), sub_block.side(), false});
      at += sub_block.length;
    }
  }

  // An entry that will be an extent, or part of one; returns where its bytes are. `in_reverse`: its direction goes on
  // with an extent, and what comes next may well lie before both.
  const std::uint8_t* keep(Tcb& c, ExtentPool& extents, const std::uint8_t* data, std::uint32_t length,
                           bool in_reverse) {
    if (c.held_used + length > c.held_room) grow_held(c, extents, length);
    std::uint32_t at = c.held_used;
    if (in_reverse) at = c.held_room -= length;
    else c.held_used += length;
    return static_cast<const std::uint8_t*>(std::memcpy(c.held + at, data, length));
  }
  // The bytes in order will be extents, of these pieces, whose places it sets. The in-order buffer goes.
  void keep_in_order(Tcb& c, ExtentPool& extents, std::vector<InOrderPiece>& pieces);

  // All extents have moved to the in-order buffer.
  void extents_moved(Tcb& c) { give_back_held(c); }
  // So much was in the in-order buffer, or in extents, and leaves it.
  static std::uint32_t bytes_in_order(const Tcb& c) { return c.used; }
  static void note_left(std::uint32_t, std::uint32_t) {}
  static std::uint32_t entries_in_order(const Tcb&) { return 0; }  // which nobody counts
  // There are no extents any more, and nothing is in order.
  void give_back_held(Tcb& c) {
    give_back_held_buffer(c);
    c.held_room = 0;
  }

  // Bytes that lists take.
  std::uint64_t used() const { return taken(); }

  static void detach(Tcb&, ExtentPool&) {}

 private:
  void grow_held(Tcb& c, ExtentPool& extents, std::uint32_t length);
};

class FrameSpans : public StorageBuffers {
 public:
  using StorageBuffers::StorageBuffers;

  static constexpr bool kPointsIntoFrames = true;

  // As of CopiedBytes.
  static std::uint32_t size(std::uint32_t) { return sizeof(StreamPiece); }
  void append(Tcb& c, const std::uint8_t* data, std::uint32_t length, std::uint32_t entries) {
    const StreamPiece piece(data, length);
    std::memcpy(c.buffer + c.used, &piece, sizeof piece);
    c.used += static_cast<std::uint32_t>(sizeof piece);
    note_waiting(length, entries);
  }
  // Of the pieces of a sub-block the first has all its entries.
  template <class See>
  static void for_each_piece(const Tcb& c, const See& see) {
    const std::uint8_t* at = c.buffer;
    for (std::uint32_t i = 0; i < c.in_order_sub_blocks(); ++i) {
      const InOrderSubBlock sub_block = c.in_order_sub_block(i);
      std::uint32_t entries = sub_block.entries();
      for (std::uint32_t left = sub_block.length; left > 0; at += sizeof(StreamPiece)) {
        StreamPiece piece;
        std::memcpy(&piece, at, sizeof piece);
        const auto length = static_cast<std::uint32_t>(piece.size());
        const bool is_in_frame = at >= c.buffer + c.detached;
        see(InOrderPiece{piece.data(), length, std::exchange(entries, 0), sub_block.side(), is_in_frame});
        left -= length;
      }
    }
  }

  const std::uint8_t* keep(Tcb&, ExtentPool&, const std::uint8_t* data, std::uint32_t length, bool) {
    note_waiting(length, 1);
    return data;
  }
  void keep_in_order(Tcb& c, ExtentPool&, std::vector<InOrderPiece>&) { give_back_in_order(c); }

  static void extents_moved(Tcb&) {}  // pieces may point to what is held
  static std::uint32_t bytes_in_order(const Tcb& c);
  static std::uint32_t entries_in_order(const Tcb& c);
  void note_left(std::uint32_t bytes, std::uint32_t entries) {
    waiting_ -= bytes;
    waiting_entries_ -= entries;
  }
  void give_back_held(Tcb& c) {
    give_back_held_buffer(c);
    c.spans_since = 0;
  }

  // What waits is taken for memory, in frames or held, so that it does not matter when frames have to go.
  std::uint64_t used() const {
    constexpr std::uint64_t kEntry = 64;  // a piece in a buffer that has grown
    return waiting_ + waiting_entries_ * kEntry;
  }

  // What waits no longer points into frames.
  void detach(Tcb& c, ExtentPool& extents);

 private:
  void note_waiting(std::uint32_t length, std::uint32_t entries) {
    waiting_ += length;
    waiting_entries_ += entries;
  }
  void hold_all(Tcb& c, ExtentPool& extents);

  std::uint64_t waiting_ = 0, waiting_entries_ = 0;  // bytes and entries, in frames or held
};

}  // namespace warpmeter::inline stream
