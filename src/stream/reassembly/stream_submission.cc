// What leaves a connection's list: blocks, and when a direction is finished.
#include <algorithm>
#include <cstring>

#include "stream/reassembly/reassembly_queue.h"

namespace warpmeter::inline stream {
namespace {

// Where the next byte of a direction would be, if nothing were missing; nothing: anywhere.
struct Expected {
  std::int64_t number = 0;
  bool is_known = false;
};

// Behind the in-order buffer.
Expected expected_of(const Stream& stream) { return {stream.next, stream.next != 0}; }

}  // namespace

// Is anything missing that the capture has not cut off?
bool ReassemblyQueue::is_gap(const Stream& stream, std::int64_t begin, std::int64_t end) {
  return begin < end && !(stream.extras && stream.extras->cut.covers(begin, end));
}

// The extent behind the first gap that is worth waiting for; 0: there is none.
ExtentNumber ReassemblyQueue::first_to_wait(const Tcb& c) const {
  std::array<Expected, 2> expected{expected_of(c.streams[0]), expected_of(c.streams[1])};
  std::uint32_t left = c.extent_entries;
  for (ExtentNumber at = c.first; at; at = extents_[at].behind) {
    const Extent& extent = extents_[at];
    const int side = static_cast<int>(extent.side);
    Expected& next = expected[side];
    if (next.is_known && left <= options_.gap_packets && is_gap(c.streams[side], next.number, extent.start)) return at;
    next = {extent.end(), true};
    left -= extent.entries;
  }
  return 0;
}

void ReassemblyQueue::submit(Tcb& c, StreamReason reason, std::uint64_t packet, bool wait) {
  const ExtentNumber stop = wait ? first_to_wait(c) : 0;
  if (c.first == stop && c.last_sub_block.length == 0) return;
  parts_.clear_sub_blocks();
  list_in_order(c);
  list_extents(c, stop);
  for (Stream& stream : c.streams) pass_position(stream);
  set_pieces();
  consumer_.take(c, {reason, packet, parts_.sub_blocks});
  ++blocks_;
  drop_list(c, stop);
  parts_.forget_many();
}

void ReassemblyQueue::list_in_order(Tcb& c) {
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
  if (options_.spans) {
    find_in_order_pieces(c);
    for (const InOrderPiece& piece : parts_.in_order_pieces) {
      Stream& stream = stream_of(c, piece.side);
      add_to_sub_blocks(stream, piece.side, stream.position, piece.data, piece.length);
    }
    return;
  }
  const std::uint8_t* at = c.buffer;
  for (std::uint32_t i = 0; i < c.in_order_sub_blocks(); ++i) {
    const InOrderSubBlock sub_block = c.in_order_sub_block(i);
    begin_sub_block(stream_of(c, sub_block.side()), sub_block.side(), 0);
    add_piece(stream_of(c, sub_block.side()), at, sub_block.length);
    at += sub_block.length;
  }
}

void ReassemblyQueue::list_extents(Tcb& c, ExtentNumber stop) {
  for (ExtentNumber at = c.first; at != stop; at = extents_[at].behind) {
    const Extent& extent = extents_[at];
    add_to_sub_blocks(stream_of(c, extent.side), extent.side, extent.start, extent.data, extent.length);
  }
}

// Forgets what the position has passed.
void ReassemblyQueue::pass_position(Stream& stream) {
  if (!stream.state.has_position()) return;
  if (stream.extras) stream.extras->cut.drop_below(stream.position);
}

// At the position.
void ReassemblyQueue::begin_sub_block(const Stream& stream, StreamSide side, std::uint64_t gap) {
  parts_.sub_blocks.push_back({side, static_cast<std::uint64_t>(stream.position - stream.base), gap, 0, {}});
  parts_.first_piece.push_back(parts_.pieces.size());
}

void ReassemblyQueue::add_piece(Stream& stream, const std::uint8_t* data, std::uint32_t length) {
  parts_.pieces.emplace_back(data, length);
  count_submitted(stream, length);
}

void ReassemblyQueue::count_submitted(Stream& stream, std::uint32_t length) {
  parts_.sub_blocks.back().length += length;
  stream.position += length;
  stream.counters.submitted_bytes += length;
}

// At the position.
void ReassemblyQueue::give_up(Stream& stream, std::uint64_t gap) {
  StreamExtras& extras = extras_of(stream, extras_memory_);
  extras.gaps.push_back({static_cast<std::uint64_t>(stream.position - stream.base), gap});
  stream.counters.gap_bytes += gap;
  extras.gap_sums.push_back(stream.counters.gap_bytes);
}

void ReassemblyQueue::add_to_sub_blocks(Stream& stream, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                        std::uint32_t length) {
  if (!stream.state.has_position()) {
    stream.base = stream.position = start;
    stream.state.place();
  }
  const auto gap = static_cast<std::uint64_t>(start - stream.position);
  if (gap > 0) {
    give_up(stream, gap);
  }
  stream.position = start;
  if (parts_.sub_blocks.empty() || parts_.sub_blocks.back().side != side || gap > 0) begin_sub_block(stream, side, gap);
  if (parts_.first_piece.back() < parts_.pieces.size() &&
      parts_.pieces.back().data() + parts_.pieces.back().size() == data) {
    parts_.pieces.back() = {parts_.pieces.back().data(), parts_.pieces.back().size() + length};
    count_submitted(stream, length);
  } else {
    add_piece(stream, data, length);
  }
}

void ReassemblyQueue::set_pieces() {
  parts_.first_piece.push_back(parts_.pieces.size());
  if (!options_.spans && parts_.pieces.size() > parts_.sub_blocks.size()) {
    std::uint64_t bytes = 0;
    for (const SubBlock& sub_block : parts_.sub_blocks) bytes += sub_block.length;
    parts_.gathered.resize(std::max<std::size_t>(parts_.gathered.size(), bytes));
  }
  std::uint8_t* to = parts_.gathered.data();
  for (std::size_t i = 0; i < parts_.sub_blocks.size(); ++i) {
    std::span<StreamPiece> pieces(parts_.pieces.data() + parts_.first_piece[i],
                                  parts_.pieces.data() + parts_.first_piece[i + 1]);
    if (!options_.spans && pieces.size() > 1) {
      const std::uint8_t* const begin = to;
      for (const StreamPiece& piece : pieces) to = std::copy(piece.begin(), piece.end(), to);
      pieces.front() = {begin, to};
      pieces = pieces.first(1);
    }
    parts_.sub_blocks[i].pieces = pieces;
  }
}

void ReassemblyQueue::drop_list(Tcb& c, ExtentNumber stop) {
  c.max_buffered = std::max(c.max_buffered, c.buffered);
  const std::uint32_t bytes = c.buffered, extent_entries = c.extent_entries;
  std::uint32_t plain = options_.spans ? 0 : c.used, entries = 0;
  for (std::uint32_t i = 0; options_.spans && i < c.in_order_sub_blocks(); ++i) {
    plain += c.in_order_sub_block(i).length;
    entries += c.in_order_sub_block(i).entries();
  }
  c.buffered -= plain;
  c.forget_in_order();
  give_back_in_order(c);
  while (c.first != stop) extents_.drop_first(c);
  if (options_.spans) {
    waiting_ -= bytes - c.buffered;
    waiting_entries_ -= entries + extent_entries - c.extent_entries;
  }
  if (c.first) return;
  give_back_held(c);
  if (options_.spans) c.spans_since = 0;
}

// A FIN may wait for long, and each segment asks: so the gaps between extents are counted as these come and go.
bool ReassemblyQueue::reaches_fin(const Tcb& c, StreamSide side) const {
  const Stream& stream = stream_of(c, side);
  if (stream.open_gaps > 0) return false;
  const Expected expected = expected_of(stream);
  if (!stream.lowest_extent) return !expected.is_known || !is_gap(stream, expected.number, stream.fin);
  if (expected.is_known && is_gap(stream, expected.number, extents_[stream.lowest_extent].start)) return false;
  return !is_gap(stream, extents_[stream.highest_extent].end(), stream.fin);
}

void ReassemblyQueue::count_last_gap(Stream& stream) {
  if (!stream.state.has_fin() || !stream.state.has_position() || stream.fin <= stream.position) return;
  const auto gap = static_cast<std::uint64_t>(stream.fin - stream.position);
  give_up(stream, gap);
}

void ReassemblyQueue::drop(Tcb& c) {
  give_back_in_order(c);
  give_back_held(c);
  for (Stream& stream : c.streams) stream.extras.reset();
}

}  // namespace warpmeter::inline stream
