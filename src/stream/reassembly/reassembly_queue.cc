#include "stream/reassembly/reassembly_queue.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "core/byte_order.h"

namespace warpmeter::inline stream {
namespace {

// Entries that are moved to the in-order buffer when the gap before them is filled; more stay where they are.
constexpr std::uint32_t kMostMoved = 16;

const std::uint8_t* append(std::uint8_t* to, std::uint32_t& used, const std::uint8_t* data, std::uint32_t length) {
  std::memcpy(to + used, data, length);
  used += length;
  return to + used - length;
}

}  // namespace

ReassemblyQueue::ReassemblyQueue(const ReassemblerOptions& options, StreamConsumer& consumer,
                                 std::shared_ptr<SharedBuffers> shared)
    : options_(options),
      overlaps_(options.overlap),
      extent_bytes_(sizeof(Extent) + overlaps_.extent_bytes()),
      consumer_(consumer),
      extents_(extras_memory_),
      shared_(std::move(shared)),
      buffers_(shared_->blocks),
      parts_(shared_->parts) {}

void ReassemblyQueue::trim() {
  if (extents_.in_use() == 0) {
    extents_.forget();
    overlaps_.forget();
  }
  if (extras_memory_.bytes() == 0) pools_.release();
}

void ReassemblyQueue::begin_at(Tcb& c, StreamSide side, std::int64_t start) {
  Stream& stream = stream_of(c, side);
  if (stream.has_in_order()) make_extents(c);  // now there may be a gap before them
  stream.state.place();
  stream.base = stream.position = stream.next = start;
}

void ReassemblyQueue::put(Tcb& c, StreamSide side, std::int64_t start, const PayloadSegment& s, bool in_order) {
  Stream& stream = stream_of(c, side);
  if (s.captured < s.payload_length) {
    cut(c, side, start + s.captured, start + s.payload_length);
    stream.counters.cut_bytes += s.payload_length - s.captured;
  }
  if (s.captured == 0) return;
  if (in_order && (!stream.state.has_position() || start >= stream.position)) {
    enter_behind(c, side, start, s.data, s.captured);
  } else {
    put_among(c, side, start, s.data, s.captured, in_order);
  }
}

void ReassemblyQueue::cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end) {
  Stream& stream = stream_of(c, side);
  StreamExtras& extras = extras_of(stream, extras_memory_);
  if (stream.state.has_position()) begin = std::max(begin, stream.position);
  if (begin >= end) return;
  parts_.new_ranges.clear();
  if (stream.open_gaps > 0)
    extras.cut.for_each_missing(begin, end, [this](auto b, auto e) { parts_.new_ranges.push_back({b, e}); });
  extras.cut.add(begin, end);
  for (const NumberRange& piece : parts_.new_ranges) extents_.see_cut(c, side, piece.begin, piece.end);
}

// Behind all that the direction has, at the end of the list.
void ReassemblyQueue::enter_behind(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                   std::uint32_t length) {
  Stream& stream = stream_of(c, side);
  if (overlaps_.keeps_first() && !c.first && follows_in_order(stream, start)) {
    return enter_in_order(c, side, start, data, length, 1);
  }
  enter_extent(c, side, start, data, length, stream.highest_extent);
  if (!overlaps_.keeps_first()) overlaps_.set_segment(stream.highest_extent, {start, start + length});
}

// Where it belongs, perhaps into a gap. `below`: the extent that it comes behind.
void ReassemblyQueue::enter(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                            ExtentNumber below) {
  Stream& stream = stream_of(c, side);
  const bool is_before_all = !below && (stream.lowest_extent ? stream.lowest_extent == c.first : !c.first);
  if (!overlaps_.keeps_first() || !is_before_all || !follows_in_order(stream, start)) {
    return enter_extent(c, side, start, data, length, below);
  }
  enter_in_order(c, side, start, data, length, 1);
  if (c.extent_entries <= kMostMoved) move_what_follows(c);
}

void ReassemblyQueue::enter_in_order(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                     std::uint32_t length, std::uint32_t entries) {
  const std::uint32_t bytes = in_order_bytes(length);
  if (!has_in_order_room(c, bytes)) grow_buffer(c, bytes);
  append_in_order(c, side, start, data, length, entries);
}

// A gap was filled: what had to wait behind it no longer has to.
void ReassemblyQueue::move_what_follows(Tcb& c) {
  while (c.first) {
    const Extent extent = extents_[c.first];
    if (!follows_in_order(stream_of(c, extent.side), extent.start)) return;
    extents_.drop_first(c);
    if (options_.spans) {
      waiting_ -= extent.length;
      waiting_entries_ -= extent.entries;
    }
    enter_in_order(c, extent.side, extent.start, extent.data, extent.length, extent.entries);
  }
  if (!options_.spans) give_back_held(c);
}

// `below`: the extent that the bytes come behind, in their direction.
void ReassemblyQueue::enter_extent(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                   std::uint32_t length, ExtentNumber below) {
  Stream& stream = stream_of(c, side);
  const ExtentNumber above = extents_.next_above(c, side, below);
  const bool may_join = overlaps_.keeps_first() && !options_.spans && !touches_joined(stream, below, above);
  const bool in_reverse = may_join && above && extents_[above].start == start + length;
  if (options_.spans) note_waiting(length, 1);
  else data = held_copy(c, data, length, in_reverse);
  const ExtentNumber extent = extents_.insert(c, side, start, data, length, below, may_join);
  if (options_.spans) extents_.enter_frame(c, extent);
}

// `change(data, length)` tells where the bytes of a piece of the in-order buffer are from now on, of those that lie in
// its buffer from `from` on. With spans.
template <class Change>
void ReassemblyQueue::change_pieces(Tcb& c, std::uint32_t from, const Change& change) {
  for (std::uint32_t at = from; at < c.used; at += static_cast<std::uint32_t>(sizeof(StreamPiece))) {
    StreamPiece piece;
    std::memcpy(&piece, c.buffer + at, sizeof piece);
    piece = {change(piece.data(), static_cast<std::uint32_t>(piece.size())), piece.size()};
    std::memcpy(c.buffer + at, &piece, sizeof piece);
  }
}

const std::uint8_t* ReassemblyQueue::held_copy(Tcb& c, const std::uint8_t* data, std::uint32_t length,
                                               bool from_behind) {
  if (c.held_used + length > c.held_room) {
    const std::uint64_t bytes = c.buffered - c.used + std::uint64_t{length};
    hold_in(c, bytes + bytes / 2);
  }
  if (from_behind) {
    c.held_room -= length;
    return static_cast<const std::uint8_t*>(std::memcpy(c.held + c.held_room, data, length));
  }
  return append(c.held, c.held_used, data, length);
}

BlockBuffers::Buffer ReassemblyQueue::take_buffer(std::size_t bytes) {
  const BlockBuffers::Buffer buffer = buffers_.take(bytes);
  taken_ += buffer.room;
  return buffer;
}

void ReassemblyQueue::give_back_buffer(const BlockBuffers::Buffer& buffer) {
  taken_ -= buffer.room;
  buffers_.give_back(buffer);
}

// Another buffer for the bytes of extents.
void ReassemblyQueue::hold_in(Tcb& c, std::size_t bytes) {
  const BlockBuffers::Buffer held = take_buffer(bytes);
  std::uint32_t used = 0;
  for (ExtentNumber at = c.first; at; at = extents_[at].behind) {
    extents_[at].data = append(held.data, used, extents_[at].data, extents_[at].length);
  }
  hold(c, held, used);
}

void ReassemblyQueue::hold(Tcb& c, const BlockBuffers::Buffer& held, std::uint32_t used) {
  give_back_held(c);
  c.held = held.data;
  c.held_used = used;
  c.held_capacity = held.room;
  if (!options_.spans) c.held_room = held.room;
  c.held_slab = held.slab;
}

template <class Take>
void ReassemblyQueue::for_each_in_frame(const Tcb& c, const Take& take) {
  for (const Stream& stream : c.streams) {
    for (ExtentNumber at = stream.latest_in_frame; at; at = extents_[at].older_in_frame) take(extents_[at]);
  }
}

// Bytes are copied once, and then again only as often as a larger buffer is needed for them. So long only all extents
// are looked at, else those in frames alone: of a list of many extents little may come between two calls.
void ReassemblyQueue::detach_from_frames(Tcb& c) {
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
  for_each_in_frame(c, [&](Extent& extent) { bytes += extent.length; });
  if (bytes <= c.held_capacity) {
    change_pieces(c, c.detached, [&](const std::uint8_t* data, std::uint32_t length) {
      return is_held(data) ? data : append(c.held, c.held_used, data, length);
    });
    for_each_in_frame(c,
                      [&](Extent& extent) { extent.data = append(c.held, c.held_used, extent.data, extent.length); });
  } else {
    hold_all(c);
  }
  c.detached = c.used;
  extents_.leave_frames(c);
}

// With spans, in another buffer, with room for more.
void ReassemblyQueue::hold_all(Tcb& c) {
  const BlockBuffers::Buffer held = take_buffer(c.buffered + c.buffered / 2);
  std::uint32_t used = 0;
  change_pieces(c, 0,
                [&](const std::uint8_t* data, std::uint32_t length) { return append(held.data, used, data, length); });
  for (ExtentNumber at = c.first; at; at = extents_[at].behind) {
    extents_[at].data = append(held.data, used, extents_[at].data, extents_[at].length);
  }
  hold(c, held, used);
}

void ReassemblyQueue::grow_buffer(Tcb& c, std::size_t bytes) {
  const std::size_t described = c.capacity - c.room;
  const std::size_t needed = c.used + bytes + described + 2 * sizeof(InOrderSubBlock);
  const BlockBuffers::Buffer buffer = take_buffer(c.is_large ? std::max(needed, buffers_.block_room()) : needed);
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

// What the in-order buffer consists of: pieces of its sub-blocks, the first of each with all entries.
void ReassemblyQueue::find_in_order_pieces(const Tcb& c) {
  parts_.in_order_pieces.clear();
  const std::uint8_t* at = c.buffer;
  for (std::uint32_t i = 0; i < c.in_order_sub_blocks(); ++i) {
    const InOrderSubBlock sub_block = c.in_order_sub_block(i);
    if (!options_.spans) {
      parts_.in_order_pieces.push_back({at, sub_block.length, sub_block.entries(), sub_block.side(), false});
      at += sub_block.length;
      continue;
    }
    std::uint32_t entries = sub_block.entries();
    for (std::uint32_t left = sub_block.length; left > 0; at += sizeof(StreamPiece)) {
      StreamPiece piece;
      std::memcpy(&piece, at, sizeof piece);
      const auto length = static_cast<std::uint32_t>(piece.size());
      const bool is_in_frame = at >= c.buffer + c.detached;
      parts_.in_order_pieces.push_back(
          {piece.data(), length, std::exchange(entries, 0), sub_block.side(), is_in_frame});
      left -= length;
    }
  }
}

// The in-order buffer becomes extents, for what comes among its bytes.
void ReassemblyQueue::make_extents(Tcb& c) {
  if (c.last_sub_block.length == 0) return;
  find_in_order_pieces(c);
  if (options_.spans) {
    extents_.make_extents(c, parts_.in_order_pieces);
    return give_back_in_order(c);
  }
  if (c.held) {
    const std::uint8_t* data = held_copy(c, c.buffer, c.used, false);
    for (InOrderPiece& piece : parts_.in_order_pieces) piece.data = std::exchange(data, data + piece.length);
    extents_.make_extents(c, parts_.in_order_pieces);
    return give_back_in_order(c);
  }
  const std::uint32_t used = c.used;
  extents_.make_extents(c, parts_.in_order_pieces);
  c.held = c.buffer;
  c.held_used = used;
  c.held_capacity = c.held_room = c.capacity;
  c.held_slab = c.buffer_slab;
  c.buffer = nullptr;
  c.capacity = c.room = 0;
}

}  // namespace warpmeter::inline stream
