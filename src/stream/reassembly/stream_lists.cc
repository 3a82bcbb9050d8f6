#include "stream/reassembly/stream_lists.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "core/byte_order.h"

namespace warpmeter::inline stream {
namespace {

// Entries that are moved to the plain part when the gap before them is filled; more stay where they are.
constexpr std::uint32_t kMostMoved = 16;

const std::uint8_t* append(std::uint8_t* to, std::uint32_t& used, const std::uint8_t* data, std::uint32_t length) {
  std::memcpy(to + used, data, length);
  used += length;
  return to + used - length;
}

}  // namespace

StreamLists::StreamLists(const ReassemblerOptions& options, StreamConsumer& consumer,
                         std::shared_ptr<SharedBuffers> shared)
    : options_(options),
      may_join_(options.overlap == OverlapPolicy::first),
      run_bytes_(sizeof(Run) + (may_join_ ? 0 : sizeof(SegmentExtent))),
      consumer_(consumer),
      runs_(rare_),
      shared_(std::move(shared)),
      buffers_(shared_->blocks),
      parts_(shared_->parts) {}

void StreamLists::trim() {
  if (runs_.in_use() == 0) {
    runs_.forget();
    give_room_back(segments_);
  }
  if (rare_.bytes() == 0) pools_.release();
}

void StreamLists::begin_at(Tcb& c, StreamSide side, std::int64_t start) {
  Stream& stream = stream_of(c, side);
  if (stream.in_plain) make_runs(c);  // now there may be a gap before them
  stream.has_position = true;
  stream.base = stream.position = start;
}

void StreamLists::put(Tcb& c, StreamSide side, std::int64_t start, const PayloadSegment& s, bool in_order) {
  Stream& stream = stream_of(c, side);
  if (s.captured < s.payload_length) {
    cut(c, side, start + s.captured, start + s.payload_length);
    stream.counters.cut_bytes += s.payload_length - s.captured;
  }
  if (s.captured == 0) return;
  if (in_order && (!stream.has_position || start >= stream.position)) {
    enter_behind(c, side, start, s.data, s.captured);
  } else {
    put_among(c, side, start, s.data, s.captured, in_order);
  }
}

void StreamLists::cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end) {
  Stream& stream = stream_of(c, side);
  RareStream& rare = rare_of(stream, rare_);
  if (stream.has_position) begin = std::max(begin, stream.position);
  if (begin >= end) return;
  parts_.new_ranges.clear();
  if (stream.open_gaps > 0)
    rare.cut.for_each_missing(begin, end, [this](auto b, auto e) { parts_.new_ranges.push_back({b, e}); });
  rare.cut.add(begin, end);
  for (const NumberRange& piece : parts_.new_ranges) runs_.see_cut(c, side, piece.begin, piece.end);
}

// Behind all that the direction has, at the end of the list.
void StreamLists::enter_behind(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                               std::uint32_t length) {
  Stream& stream = stream_of(c, side);
  if (may_join_ && !c.first && follows_plain(stream, start)) {
    return enter_plain(c, side, start, data, length, 1);
  }
  enter_run(c, side, start, data, length, stream.highest_run);
  if (!may_join_) set_segment(stream.highest_run, {start, start + length});
}

// Where it belongs, perhaps into a gap. `below`: the run that it comes behind.
void StreamLists::enter(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                        RunNumber below) {
  Stream& stream = stream_of(c, side);
  const bool is_before_all = !below && (stream.lowest_run ? stream.lowest_run == c.first : !c.first);
  if (!may_join_ || !is_before_all || !follows_plain(stream, start)) {
    return enter_run(c, side, start, data, length, below);
  }
  enter_plain(c, side, start, data, length, 1);
  if (c.run_entries <= kMostMoved) move_what_follows(c);
}

void StreamLists::enter_plain(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                              std::uint32_t length, std::uint32_t entries) {
  const std::uint32_t bytes = plain_bytes(length);
  if (!has_plain_room(c, bytes)) grow_buffer(c, bytes);
  append_plain(c, side, start, data, length, entries);
}

// A gap was filled: what had to wait behind it no longer has to.
void StreamLists::move_what_follows(Tcb& c) {
  while (c.first) {
    const Run run = runs_[c.first];
    if (!follows_plain(stream_of(c, run.side), run.start)) return;
    runs_.drop_first(c);
    if (options_.spans) {
      waiting_ -= run.length;
      waiting_entries_ -= run.entries;
    }
    enter_plain(c, run.side, run.start, run.data, run.length, run.entries);
  }
  if (!options_.spans) give_back_held(c);
}

// `below`: the run that the bytes come behind, in their direction.
void StreamLists::enter_run(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                            RunNumber below) {
  Stream& stream = stream_of(c, side);
  stream.has_carried = true;
  const RunNumber above = runs_.next_above(c, side, below);
  const bool may_join = may_join_ && !options_.spans && !touches_joined(stream, below, above);
  const bool in_reverse = may_join && above && runs_[above].start == start + length;
  if (options_.spans) note_waiting(length, 1);
  else data = held_copy(c, data, length, in_reverse);
  const RunNumber run = runs_.insert(c, side, start, data, length, below, may_join);
  if (options_.spans) runs_.enter_frame(c, run);
}

// `change(data, length)` tells where the bytes of a piece of the plain part are from now on, of those that lie in its
// buffer from `from` on. With spans.
template <class Change>
void StreamLists::change_pieces(Tcb& c, std::uint32_t from, const Change& change) {
  for (std::uint32_t at = from; at < c.used; at += static_cast<std::uint32_t>(sizeof(StreamPiece))) {
    StreamPiece piece;
    std::memcpy(&piece, c.buffer + at, sizeof piece);
    piece = {change(piece.data(), static_cast<std::uint32_t>(piece.size())), piece.size()};
    std::memcpy(c.buffer + at, &piece, sizeof piece);
  }
}

const std::uint8_t* StreamLists::held_copy(Tcb& c, const std::uint8_t* data, std::uint32_t length, bool from_behind) {
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

BlockBuffers::Buffer StreamLists::take_buffer(std::size_t bytes) {
  const BlockBuffers::Buffer buffer = buffers_.take(bytes);
  taken_ += buffer.room;
  return buffer;
}

void StreamLists::give_back_buffer(const BlockBuffers::Buffer& buffer) {
  taken_ -= buffer.room;
  buffers_.give_back(buffer);
}

// Another buffer for the bytes of runs.
void StreamLists::hold_in(Tcb& c, std::size_t bytes) {
  const BlockBuffers::Buffer held = take_buffer(bytes);
  std::uint32_t used = 0;
  for (RunNumber at = c.first; at; at = runs_[at].behind) {
    runs_[at].data = append(held.data, used, runs_[at].data, runs_[at].length);
  }
  hold(c, held, used);
}

void StreamLists::hold(Tcb& c, const BlockBuffers::Buffer& held, std::uint32_t used) {
  give_back_held(c);
  c.held = held.data;
  c.held_used = used;
  c.held_capacity = held.room;
  if (!options_.spans) c.held_room = held.room;
  c.held_slab = held.slab;
}

template <class Take>
void StreamLists::for_each_in_frame(const Tcb& c, const Take& take) {
  for (const Stream& stream : c.streams) {
    for (RunNumber at = stream.latest_in_frame; at; at = runs_[at].older_in_frame) take(runs_[at]);
  }
}

// Bytes are copied once, and then again only as often as a larger buffer is needed for them. So long only all runs are
// looked at, else those in frames alone: of a list of many runs little may come between two calls.
void StreamLists::settle(Tcb& c) {
  c.spans_since = 0;
  if (c.buffered == 0) return;
  const auto is_held = [&c](const std::uint8_t* data) {
    return c.held && std::less_equal<>()(c.held, data) && std::less<>()(data, c.held + c.held_used);
  };
  std::uint64_t bytes = c.held_used;
  change_pieces(c, c.settled, [&](const std::uint8_t* data, std::uint32_t length) {
    if (!is_held(data)) bytes += length;
    return data;
  });
  for_each_in_frame(c, [&](Run& run) { bytes += run.length; });
  if (bytes <= c.held_capacity) {
    change_pieces(c, c.settled, [&](const std::uint8_t* data, std::uint32_t length) {
      return is_held(data) ? data : append(c.held, c.held_used, data, length);
    });
    for_each_in_frame(c, [&](Run& run) { run.data = append(c.held, c.held_used, run.data, run.length); });
  } else {
    hold_all(c);
  }
  c.settled = c.used;
  runs_.leave_frames(c);
}

// With spans, in another buffer, with room for more.
void StreamLists::hold_all(Tcb& c) {
  const BlockBuffers::Buffer held = take_buffer(c.buffered + c.buffered / 2);
  std::uint32_t used = 0;
  change_pieces(c, 0,
                [&](const std::uint8_t* data, std::uint32_t length) { return append(held.data, used, data, length); });
  for (RunNumber at = c.first; at; at = runs_[at].behind) {
    runs_[at].data = append(held.data, used, runs_[at].data, runs_[at].length);
  }
  hold(c, held, used);
}

void StreamLists::grow_buffer(Tcb& c, std::size_t bytes) {
  const std::size_t described = c.capacity - c.room;
  const std::size_t needed = c.used + bytes + described + 2 * sizeof(PlainRun);
  const BlockBuffers::Buffer buffer = take_buffer(c.is_large ? std::max(needed, buffers_.block_room()) : needed);
  const std::size_t room = buffer.room - described;
  if (c.buffer) {
    std::memcpy(buffer.data, c.buffer, c.used);
    std::memcpy(buffer.data + room, c.buffer + c.room, described);
  }
  give_back_plain(c);
  c.buffer = buffer.data;
  c.capacity = buffer.room;
  c.buffer_slab = buffer.slab;
  c.room = static_cast<std::uint32_t>(room);
}

// What the plain part consists of: pieces of its runs, of which the first has all entries.
void StreamLists::find_plain_pieces(const Tcb& c) {
  parts_.plain_pieces.clear();
  const std::uint8_t* at = c.buffer;
  for (std::uint32_t i = 0; i < c.plain_runs(); ++i) {
    const PlainRun run = c.plain_run(i);
    if (!options_.spans) {
      parts_.plain_pieces.push_back({at, run.length, run.entries(), run.side(), false});
      at += run.length;
      continue;
    }
    std::uint32_t entries = run.entries();
    for (std::uint32_t left = run.length; left > 0; at += sizeof(StreamPiece)) {
      StreamPiece piece;
      std::memcpy(&piece, at, sizeof piece);
      const auto length = static_cast<std::uint32_t>(piece.size());
      const bool is_in_frame = at >= c.buffer + c.settled;
      parts_.plain_pieces.push_back({piece.data(), length, std::exchange(entries, 0), run.side(), is_in_frame});
      left -= length;
    }
  }
}

// The plain part becomes runs, for what comes among its bytes.
void StreamLists::make_runs(Tcb& c) {
  if (c.plain.length == 0) return;
  find_plain_pieces(c);
  if (options_.spans) {
    runs_.make_runs(c, parts_.plain_pieces);
    return give_back_plain(c);
  }
  if (c.held) {
    const std::uint8_t* data = held_copy(c, c.buffer, c.used, false);
    for (PlainPiece& piece : parts_.plain_pieces) piece.data = std::exchange(data, data + piece.length);
    runs_.make_runs(c, parts_.plain_pieces);
    return give_back_plain(c);
  }
  const std::uint32_t used = c.used;
  runs_.make_runs(c, parts_.plain_pieces);
  c.held = c.buffer;
  c.held_used = used;
  c.held_capacity = c.held_room = c.capacity;
  c.held_slab = c.buffer_slab;
  c.buffer = nullptr;
  c.capacity = c.room = 0;
}

}  // namespace warpmeter::inline stream
