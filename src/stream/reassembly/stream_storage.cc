#include "stream/reassembly/stream_storage.h"

#include <algorithm>
#include <functional>

namespace warpmeter::inline stream {
namespace {

const std::uint8_t* append_to(std::uint8_t* to, std::uint32_t& used, const std::uint8_t* data, std::uint32_t length) {
  std::memcpy(to + used, data, length);
  used += length;
  return to + used - length;
}

// The bytes of all extents, in another place.
void copy_extents(const Tcb& c, ExtentPool& extents, std::uint8_t* to, std::uint32_t& used) {
  for (ExtentNumber at = c.first; at; at = extents[at].behind) {
    extents[at].data = append_to(to, used, extents[at].data, extents[at].length);
  }
}

// `change(data, length)` tells where the bytes of a piece in the in-order buffer are from now on, of those that lie in
// it from `from` on.
template <class Change>
void change_pieces(Tcb& c, std::uint32_t from, const Change& change) {
  for (std::uint32_t at = from; at < c.used; at += static_cast<std::uint32_t>(sizeof(StreamPiece))) {
    StreamPiece piece;
    std::memcpy(&piece, c.buffer + at, sizeof piece);
    piece = {change(piece.data(), static_cast<std::uint32_t>(piece.size())), piece.size()};
    std::memcpy(c.buffer + at, &piece, sizeof piece);
  }
}

template <class Take>
void for_each_in_frame(const Tcb& c, ExtentPool& extents, const Take& take) {
  for (const Stream& stream : c.streams) {
    for (ExtentNumber at = stream.latest_in_frame; at; at = extents[at].older_in_frame) take(extents[at]);
  }
}

}  // namespace

BlockBuffers::Buffer StorageBuffers::take(std::size_t bytes) {
  const BlockBuffers::Buffer buffer = buffers_.take(bytes);
  taken_ += buffer.room;
  return buffer;
}

void StorageBuffers::give_back(const BlockBuffers::Buffer& buffer) {
  taken_ -= buffer.room;
  buffers_.give_back(buffer);
}

void StorageBuffers::hold_in(Tcb& c, const BlockBuffers::Buffer& buffer, std::uint32_t used) {
  give_back_held_buffer(c);
  c.held = buffer.data;
  c.held_used = used;
  c.held_capacity = buffer.room;
  c.held_slab = buffer.slab;
}

void StorageBuffers::grow_in_order(Tcb& c, std::size_t bytes) {
  const std::size_t described = c.capacity - c.room;
  const std::size_t needed = c.used + bytes + described + 2 * sizeof(InOrderSubBlock);
  const BlockBuffers::Buffer buffer = take(c.is_large ? std::max(needed, buffers_.block_room()) : needed);
  const std::size_t room = buffer.room - described;
  if (c.buffer) {
    std::memcpy(buffer.data, c.buffer, c.used);
    std::memcpy(buffer.data + room, c.buffer + c.room, described);
  }
  give_back_in_order(c);
  c.buffer = buffer.data;
  c.capacity = buffer.room;
  c.buffer_slab = buffer.slab;
  c.room = static_cast<std::uint32_t>(room);
}

// In another buffer, with room for so many more bytes and others.
void CopiedBytes::grow_held(Tcb& c, ExtentPool& extents, std::uint32_t length) {
  const std::uint64_t bytes = c.buffered - c.used + std::uint64_t{length};
  const BlockBuffers::Buffer held = take(bytes + bytes / 2);
  std::uint32_t used = 0;
  copy_extents(c, extents, held.data, used);
  hold_in(c, held, used);
  c.held_room = held.room;
}

void CopiedBytes::keep_in_order(Tcb& c, ExtentPool& extents, std::vector<InOrderPiece>& pieces) {
  if (c.held) {
    const std::uint8_t* data = keep(c, extents, c.buffer, c.used, false);
    for (InOrderPiece& piece : pieces) piece.data = std::exchange(data, data + piece.length);
    return give_back_in_order(c);
  }
  c.held = std::exchange(c.buffer, nullptr);
  c.held_used = c.used;
  c.held_capacity = c.held_room = c.capacity;
  c.held_slab = c.buffer_slab;
  c.capacity = c.room = 0;
}

std::uint32_t FrameSpans::bytes_in_order(const Tcb& c) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < c.in_order_sub_blocks(); ++i) sum += c.in_order_sub_block(i).length;
  return sum;
}

std::uint32_t FrameSpans::entries_in_order(const Tcb& c) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < c.in_order_sub_blocks(); ++i) sum += c.in_order_sub_block(i).entries();
  return sum;
}

// Bytes are copied once, and then again only as often as a larger buffer is needed for them. Only then all extents are
// looked at, else those in frames alone: of a list of many extents little may come between two calls.
void FrameSpans::detach(Tcb& c, ExtentPool& extents) {
  c.spans_since = 0;
  if (c.buffered == 0) return;
  const auto is_held = [&c](const std::uint8_t* data) {
    return c.held && std::less_equal<>()(c.held, data) && std::less<>()(data, c.held + c.held_used);
  };
  std::uint64_t bytes = c.held_used;
  change_pieces(c, c.detached, [&](const std::uint8_t* data, std::uint32_t length) {
    if (!is_held(data)) bytes += length;
    return data;
  });
  for_each_in_frame(c, extents, [&](Extent& extent) { bytes += extent.length; });
  if (bytes <= c.held_capacity) {
    change_pieces(c, c.detached, [&](const std::uint8_t* data, std::uint32_t length) {
      return is_held(data) ? data : append_to(c.held, c.held_used, data, length);
    });
    for_each_in_frame(
        c, extents, [&](Extent& extent) { extent.data = append_to(c.held, c.held_used, extent.data, extent.length); });
  } else {
    hold_all(c, extents);
  }
  c.detached = c.used;
  extents.leave_frames(c);
}

// In another buffer, with room for more.
void FrameSpans::hold_all(Tcb& c, ExtentPool& extents) {
  const BlockBuffers::Buffer held = take(c.buffered + c.buffered / 2);
  std::uint32_t used = 0;
  change_pieces(
      c, 0, [&](const std::uint8_t* data, std::uint32_t length) { return append_to(held.data, used, data, length); });
  copy_extents(c, extents, held.data, used);
  hold_in(c, held, used);
}

}  // namespace warpmeter::inline stream
