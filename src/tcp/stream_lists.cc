#include "tcp/stream_lists.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "core/byte_order.h"

namespace warpmeter {
namespace {

// Entries that are moved to the plain part when the gap before them is filled; more stay where they are.
constexpr std::uint32_t kMostMoved = 16;

const std::uint8_t* append(std::uint8_t* to, std::uint32_t& used, const std::uint8_t* data, std::uint32_t length) {
  std::memcpy(to + used, data, length);
  used += length;
  return to + used - length;
}

std::uint64_t differing(const std::uint8_t* a, const std::uint8_t* b, std::int64_t length) {
  if (std::memcmp(a, b, static_cast<std::size_t>(length)) == 0) return 0;
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < length; ++i) sum += a[i] != b[i];
  return sum;
}

}  // namespace

StreamLists::StreamLists(const ReassemblerOptions& options, StreamConsumer& consumer,
                         std::shared_ptr<BlockBuffers> buffers)
    : options_(options),
      may_join_(options.overlap == OverlapPolicy::first),
      run_bytes_(sizeof(Run) + (may_join_ ? 0 : sizeof(SegmentExtent))),
      consumer_(consumer),
      runs_(memory_),
      buffers_(std::move(buffers)) {}

std::uint64_t StreamLists::memory() const {
  constexpr std::uint64_t kNode = 64;   // of a map
  constexpr std::uint64_t kEntry = 64;  // a run, or a piece in a buffer that has grown
  const std::uint64_t lists =
      options_.spans ? waiting_ + waiting_entries_ * kEntry : taken_ + runs_.in_use() * run_bytes_;
  return lists + gaps_ * sizeof(StreamGap) + cuts_ * kNode;
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

void StreamLists::put_among(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                            bool in_order) {
  Stream& stream = stream_of(c, side);
  const std::int64_t end = start + length;
  const bool was_submitted = stream.has_position && end <= stream.position;
  if (stream.in_plain && start < stream.next && !was_submitted) make_runs(c);
  find_new(c, side, start, end);
  std::uint64_t repeated = length;
  for (const Piece& piece : new_) repeated -= static_cast<std::uint64_t>(piece.end - piece.begin);
  if (repeated > 0) {
    stream.counters.repeated_bytes += repeated;
    stream.counters.repeated_segments += new_.empty();
    stream.counters.conflicting_bytes += conflicts(c, side, start, data, end);
    if (!may_join_) take_over(c, side, {start, end}, data);
  } else if (!in_order) {
    ++stream.counters.out_of_order_segments;
  }
  for (Piece piece : new_) {
    if (stream.has_position && piece.begin < stream.position) {
      const std::int64_t late_end = std::min(piece.end, stream.position);
      stream.counters.late_bytes += static_cast<std::uint64_t>(late_end - piece.begin);
      piece.begin = late_end;
    }
    if (piece.begin == piece.end) continue;
    enter(c, side, piece.begin, data + (piece.begin - start), static_cast<std::uint32_t>(piece.end - piece.begin));
    if (!may_join_) set_segment(runs_.at_or_below(c, side, piece.begin), {start, end});
  }
}

// What of [begin, end) is neither in the list nor was submitted.
void StreamLists::find_new(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end) {
  Stream& stream = stream_of(c, side);
  new_.clear();
  if (stream.has_position && begin < stream.position) {
    find_never_seen(stream, begin, std::min(end, stream.position));
    begin = stream.position;
  }
  RunNumber at = runs_.at_or_below(c, side, begin);
  if (!at) at = stream.lowest_run;
  while (begin < end) {
    while (at && runs_[at].end() <= begin) at = runs_[at].above;
    const std::int64_t next = at ? std::clamp(runs_[at].start, begin, end) : end;
    if (begin < next) {
      if (!new_.empty() && new_.back().end == begin) new_.back().end = next;
      else new_.push_back({begin, next});
    }
    begin = at ? std::max(next, runs_[at].end()) : end;
  }
}

// The same where all lies below the position: what is below the first byte, and gaps that were given up.
void StreamLists::find_never_seen(const Stream& stream, std::int64_t begin, std::int64_t end) {
  if (begin < stream.base) {
    new_.push_back({begin, std::min(end, stream.base)});
    begin = stream.base;
  }
  if (!stream.rare || begin >= end) return;
  const std::vector<StreamGap>& gaps = stream.rare->gaps;
  const auto offset = static_cast<std::uint64_t>(begin - stream.base);
  auto gap = std::ranges::partition_point(gaps, [&](const StreamGap& g) { return g.offset + g.length <= offset; });
  for (; gap != gaps.end(); ++gap) {
    const std::int64_t from = stream.base + static_cast<std::int64_t>(gap->offset);
    const std::int64_t to = from + static_cast<std::int64_t>(gap->length);
    if (from >= end) return;
    const Piece piece{std::max(from, begin), std::min(to, end)};
    if (!new_.empty() && new_.back().end == piece.begin) new_.back().end = piece.end;
    else new_.push_back(piece);
  }
}

// Of what is repeated, the bytes that differ from those in the list.
std::uint64_t StreamLists::conflicts(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                     std::int64_t end) {
  std::uint64_t sum = 0;
  RunNumber at = runs_.at_or_below(c, side, start);
  if (!at) at = stream_of(c, side).lowest_run;
  for (; at && runs_[at].start < end; at = runs_[at].above) {
    const Run& run = runs_[at];
    const std::int64_t from = std::max(start, run.start), to = std::min(end, run.end());
    if (from < to) sum += differing(data + (from - start), run.data + (from - run.start), to - from);
  }
  return sum;
}

void StreamLists::cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end) {
  Stream& stream = stream_of(c, side);
  RareStream& rare = rare_of(stream, memory_);
  if (stream.has_position) begin = std::max(begin, stream.position);
  if (begin >= end) return;
  new_.clear();
  if (stream.open_gaps > 0) rare.cut.for_each_missing(begin, end, [this](auto b, auto e) { new_.push_back({b, e}); });
  cuts_ -= rare.cut.size();
  rare.cut.add(begin, end);
  cuts_ += rare.cut.size();
  for (const Piece& piece : new_) runs_.see_cut(c, side, piece.begin, piece.end);
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

// Where it belongs, perhaps into a gap.
void StreamLists::enter(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length) {
  Stream& stream = stream_of(c, side);
  const RunNumber below = runs_.at_or_below(c, side, start);
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
  if (options_.spans) note_waiting(length, 1);
  else data = held_copy(c, data, length);
  runs_.insert(c, side, start, data, length, below, may_join_);
}

// `change(data, length)` tells where the bytes of a piece are from now on: of those of the plain part that lie in its
// buffer from `from` on, and of runs. With spans.
template <class Change>
void StreamLists::change_pieces(Tcb& c, std::uint32_t from, const Change& change) {
  for (std::uint32_t at = from; at < c.used; at += static_cast<std::uint32_t>(sizeof(StreamPiece))) {
    StreamPiece piece;
    std::memcpy(&piece, c.buffer + at, sizeof piece);
    piece = {change(piece.data(), static_cast<std::uint32_t>(piece.size())), piece.size()};
    std::memcpy(c.buffer + at, &piece, sizeof piece);
  }
  for (RunNumber at = c.first; at; at = runs_[at].behind) runs_[at].data = change(runs_[at].data, runs_[at].length);
}

const std::uint8_t* StreamLists::held_copy(Tcb& c, const std::uint8_t* data, std::uint32_t length) {
  if (c.held_used + length > c.held_capacity) {
    const std::uint64_t bytes = c.buffered - c.used + std::uint64_t{length};
    hold_in(c, buffers_->room_for(bytes + bytes / 2));
  }
  return append(c.held, c.held_used, data, length);
}

std::uint8_t* StreamLists::take_buffer(std::size_t room) {
  std::uint8_t* const buffer = buffers_->take(room);
  taken_ += room;
  return buffer;
}

void StreamLists::give_back_buffer(std::uint8_t* buffer, std::size_t room) {
  taken_ -= room;
  buffers_->give_back(buffer, room);
}

// Another buffer for the bytes of runs.
void StreamLists::hold_in(Tcb& c, std::size_t room) {
  std::uint8_t* const held = take_buffer(room);
  std::uint32_t used = 0;
  for (RunNumber at = c.first; at; at = runs_[at].behind) {
    Run& run = runs_[at];
    std::memcpy(held + used, run.data, run.length);
    run.data = held + used;
    used += run.length;
  }
  hold(c, held, used, room);
}

void StreamLists::hold(Tcb& c, std::uint8_t* held, std::uint32_t used, std::size_t room) {
  give_back_held(c);
  c.held = held;
  c.held_used = used;
  c.held_capacity = static_cast<std::uint32_t>(room);
}

// Bytes are copied once, and then again only as often as a larger buffer is needed for them.
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
  if (bytes <= c.held_capacity) {
    change_pieces(c, c.settled, [&](const std::uint8_t* data, std::uint32_t length) {
      return is_held(data) ? data : append(c.held, c.held_used, data, length);
    });
  } else {
    const std::size_t room = buffers_->room_for(c.buffered + c.buffered / 2);
    std::uint8_t* const held = take_buffer(room);
    std::uint32_t used = 0;
    change_pieces(c, 0,
                  [&](const std::uint8_t* data, std::uint32_t length) { return append(held, used, data, length); });
    hold(c, held, used, room);
  }
  c.settled = c.used;
}

void StreamLists::give_back_held(Tcb& c) {
  if (c.held) give_back_buffer(c.held, c.held_capacity);
  c.held = nullptr;
  c.held_used = c.held_capacity = 0;
}

void StreamLists::grow_buffer(Tcb& c, std::size_t bytes) {
  const std::size_t described = c.capacity - c.room;
  std::size_t room = buffers_->room_for(c.used + bytes + described + 2 * sizeof(PlainRun));
  if (c.is_large) room = std::max(room, buffers_->block_room());
  std::uint8_t* const buffer = take_buffer(room);
  if (c.buffer) {
    std::memcpy(buffer, c.buffer, c.used);
    std::memcpy(buffer + room - described, c.buffer + c.room, described);
  }
  give_back_plain(c);
  c.buffer = buffer;
  c.capacity = static_cast<std::uint32_t>(room);
  c.room = static_cast<std::uint32_t>(room - described);
}

void StreamLists::give_back_plain(Tcb& c) {
  if (c.buffer) give_back_buffer(c.buffer, c.capacity);
  c.buffer = nullptr;
  c.capacity = c.room = 0;
}

// What the plain part consists of: pieces of its runs, of which the first has all entries.
void StreamLists::find_plain_pieces(const Tcb& c) {
  plain_pieces_.clear();
  const std::uint8_t* at = c.buffer;
  for (std::uint32_t i = 0; i < c.plain_runs(); ++i) {
    const PlainRun run = c.plain_run(i);
    if (!options_.spans) {
      plain_pieces_.push_back({at, run.length, run.entries(), run.side()});
      at += run.length;
      continue;
    }
    std::uint32_t entries = run.entries();
    for (std::uint32_t left = run.length; left > 0; at += sizeof(StreamPiece)) {
      StreamPiece piece;
      std::memcpy(&piece, at, sizeof piece);
      const auto length = static_cast<std::uint32_t>(piece.size());
      plain_pieces_.push_back({piece.data(), length, std::exchange(entries, 0), run.side()});
      left -= length;
    }
  }
}

// The plain part becomes runs, for what comes among its bytes.
void StreamLists::make_runs(Tcb& c) {
  if (c.plain.length == 0) return;
  find_plain_pieces(c);
  if (options_.spans) {
    runs_.make_runs(c, plain_pieces_);
    return give_back_plain(c);
  }
  if (c.held) {
    const std::uint8_t* data = held_copy(c, c.buffer, c.used);
    for (PlainPiece& piece : plain_pieces_) piece.data = std::exchange(data, data + piece.length);
    runs_.make_runs(c, plain_pieces_);
    return give_back_plain(c);
  }
  const std::uint32_t used = c.used;
  runs_.make_runs(c, plain_pieces_);
  c.held = c.buffer;
  c.held_used = used;
  c.held_capacity = c.capacity;
  c.buffer = nullptr;
  c.capacity = c.room = 0;
}

}  // namespace warpmeter
