#include "tcp/stream_lists.h"

#include <algorithm>
#include <cstring>

#include "core/byte_order.h"

namespace warpmeter {
namespace {

Stream& stream_of(Tcb& c, StreamSide side) { return c.streams[static_cast<int>(side)]; }

// Most of these are short where many are needed.
void copy_bytes(std::uint8_t* to, const std::uint8_t* from, std::size_t length) {
  if (length > 16 || length < 8) {
    std::memcpy(to, from, length);
    return;
  }
  const auto begin = load<std::uint64_t>(from), end = load<std::uint64_t>(from + length - 8);
  std::memcpy(to, &begin, 8);
  std::memcpy(to + length - 8, &end, 8);
}

std::uint64_t differing(const std::uint8_t* a, const std::uint8_t* b, std::int64_t length) {
  if (std::memcmp(a, b, static_cast<std::size_t>(length)) == 0) return 0;
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < length; ++i) sum += a[i] != b[i];
  return sum;
}

}  // namespace

StreamLists::StreamLists(const ReassemblerOptions& options, StreamConsumer& consumer)
    : options_(options),
      may_join_(options.overlap == OverlapPolicy::first),
      may_be_plain_(may_join_ && !options.spans),
      consumer_(consumer),
      runs_(memory_),
      buffers_(options.block_size) {}

std::uint64_t StreamLists::memory() const {
  constexpr std::uint64_t kNode = 64;  // of a map
  return buffers_.in_use() + runs_.in_use() * sizeof(Run) + gaps_ * sizeof(StreamGap) + cuts_ * kNode;
}

void StreamLists::put(Tcb& c, StreamSide side, std::int64_t start, const Payload& payload, std::uint32_t length,
                      bool in_order) {
  Stream& stream = stream_of(c, side);
  if (payload.captured < length) {
    cut(stream, start + payload.captured, start + length);
    stream.counters.cut_bytes += length - payload.captured;
  }
  if (payload.captured == 0) return;
  if (in_order && (!stream.has_position || start >= stream.position)) {
    enter_behind(c, side, start, payload.data, payload.captured);
  } else {
    if (c.is_plain()) runs_.make_runs(c);
    put_among(c, side, start, payload.data, payload.captured, in_order);
  }
}

void StreamLists::put_among(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                            bool in_order) {
  Stream& stream = stream_of(c, side);
  find_new(c, side, start, start + length);
  std::uint64_t repeated = length;
  for (const Piece& piece : new_) repeated -= static_cast<std::uint64_t>(piece.end - piece.begin);
  if (repeated > 0) {
    stream.counters.repeated_bytes += repeated;
    stream.counters.repeated_segments += new_.empty();
    stream.counters.conflicting_bytes += conflicts(c, side, start, data, start + length);
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
    enter(c, side, piece.begin, data + (piece.begin - start), static_cast<std::uint32_t>(piece.end - piece.begin),
          runs_.at_or_below(c, side, piece.begin));
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

void StreamLists::cut(Stream& stream, std::int64_t begin, std::int64_t end) {
  RareStream& rare = rare_of(stream, memory_);
  if (stream.has_position) begin = std::max(begin, stream.position);
  if (begin >= end) return;
  cuts_ -= rare.cut.size();
  rare.cut.add(begin, end);
  cuts_ += rare.cut.size();
  if (begin <= stream.reached && stream.reached < end) stream.is_blocked = false;
}

// Behind all that the direction has, at the end of the list.
void StreamLists::enter_behind(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                               std::uint32_t length) {
  Stream& stream = stream_of(c, side);
  const bool follows = stream.in_plain ? start == stream.next : !stream.has_position || start == stream.position;
  if (may_be_plain_ && c.is_plain() && follows) return enter_plain(c, side, start, data, length);
  if (c.is_plain()) runs_.make_runs(c);
  enter(c, side, start, data, length, stream.highest_run);
}

void StreamLists::enter_plain(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                              std::uint32_t length) {
  Stream& stream = stream_of(c, side);
  make_room(c, length + sizeof(PlainRun));
  copy_bytes(c.buffer + c.used, data, length);
  c.used += length;
  c.buffered += length;
  ++c.entries;
  stream.next = start + length;
  stream.in_plain = stream.has_carried = true;
  stream.is_blocked = false;
  if (c.plain_runs > 0) {
    PlainRun& last = c.plain_run(c.plain_runs - 1);
    if (last.side == static_cast<unsigned>(side)) {
      last.length += length;
      ++last.entries;
      return;
    }
  }
  c.plain_run(c.plain_runs++) = {length, 1, static_cast<unsigned>(side)};
}

// `below`: the run that the bytes come behind, in their direction. REQUIRES: the list is not plain, or empty.
void StreamLists::enter(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data, std::uint32_t length,
                        RunNumber below) {
  Stream& stream = stream_of(c, side);
  stream.has_carried = true;
  if (start <= stream.reached) stream.is_blocked = false;
  if (!below && !stream.has_position) stream.knows_reached = stream.is_blocked = false;
  if (!options_.spans) data = copied(c, data, length);
  runs_.insert(c, side, start, data, length, below, may_join_);
}

const std::uint8_t* StreamLists::copied(Tcb& c, const std::uint8_t* data, std::uint32_t length) {
  make_room(c, length);
  std::uint8_t* const to = c.buffer + c.used;
  std::memcpy(to, data, length);
  c.used += length;
  return to;
}

void StreamLists::make_room(Tcb& c, std::size_t bytes) {
  if (c.used + bytes <= c.plain_room()) return;
  const std::size_t room = buffers_.room_for(c.used + bytes + c.plain_runs * sizeof(PlainRun));
  move_buffer(c, c.is_large ? std::max(room, buffers_.block_room()) : room);
}

// Into another buffer, with all that the list has.
void StreamLists::move_buffer(Tcb& c, std::size_t room) {
  std::uint8_t* const buffer = buffers_.take(room);
  std::uint32_t used = 0;
  if (c.is_plain() && c.entries > 0) {
    const std::size_t described = c.plain_runs * sizeof(PlainRun);
    std::memcpy(buffer, c.buffer, c.used);
    std::memcpy(buffer + room - described, c.buffer + c.capacity - described, described);
    used = c.used;
  }
  for (RunNumber at = c.first; at; at = runs_[at].behind) {
    Run& run = runs_[at];
    std::memcpy(buffer + used, run.data, run.length);
    run.data = buffer + used;
    used += run.length;
  }
  if (c.buffer) buffers_.give_back(c.buffer, c.capacity);
  c.buffer = buffer;
  c.used = used;
  c.capacity = static_cast<std::uint32_t>(room);
}

}  // namespace warpmeter
