#include "stream/reassembly/extent_pool.h"

#include <array>
#include <iterator>
#include <utility>

namespace warpmeter::inline stream {
namespace {

// From where the one before was, before an index is made, or asked.
constexpr int kSteps = 16;

// With its last extent goes what is joined. It is that of the lowest extents.
void drop_joined(StreamExtras& extras, ExtentNumber extent) {
  const auto lowest = extras.joined.begin();
  if (lowest != extras.joined.end() && lowest->second.last == extent) extras.joined.erase(lowest);
}

std::size_t index_of(StreamSide side) { return static_cast<std::size_t>(side); }

}  // namespace

ExtentNumber ExtentPool::at_or_below(Tcb& c, StreamSide side, std::int64_t number) {
  Stream& stream = stream_of(c, side);
  if (!stream.highest_extent || extents_[stream.highest_extent].start <= number) return stream.highest_extent;
  if (number < extents_[stream.lowest_extent].start) return 0;
  if (const ExtentNumber near = near_recent(stream, number)) return stream.recent_extent = near;
  StreamExtras& extras = extras_of(stream, memory_);
  if (!extras.is_indexed) {
    for (ExtentNumber extent = stream.lowest_extent; extent; extent = extents_[extent].above) {
      extras.extents.emplace_hint(extras.extents.end(), extents_[extent].start, extent);
    }
    extras.is_indexed = true;
  }
  return stream.recent_extent = std::prev(extras.extents.upper_bound(number))->second;
}

// The same where it is a few steps from where the one before was; else 0. REQUIRES: it is neither the highest nor none.
ExtentNumber ExtentPool::near_recent(const Stream& stream, std::int64_t number) const {
  ExtentNumber at = stream.recent_extent ? stream.recent_extent : stream.highest_extent;
  int steps = kSteps;
  while (extents_[at].start > number) {
    if (steps-- == 0) return 0;
    at = extents_[at].below;
  }
  while (extents_[extents_[at].above].start <= number) {
    if (steps-- == 0) return 0;
    at = extents_[at].above;
  }
  return at;
}

ExtentNumber ExtentPool::next_above(const Tcb& c, StreamSide side, ExtentNumber below) const {
  return below ? extents_[below].above : stream_of(c, side).lowest_extent;
}

ExtentNumber ExtentPool::insert(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                std::uint32_t length, ExtentNumber below, bool may_join) {
  const ExtentNumber above = next_above(c, side, below);
  const ExtentNumber before = above ? extents_[above].before : c.last;
  ++c.extent_entries;
  c.buffered += length;
  if (may_join && below && before == below) {
    Extent& extent = extents_[below];
    if (extent.end() == start && extent.data + extent.length == data) {
      extent.length += length;
      ++extent.entries;
      if (above) see_gap_below(stream_of(c, side), above);
      return below;
    }
  }
  if (may_join && above && extents_[above].start == start + length && data + length == extents_[above].data) {
    grow_down(c, above, start, data);
    return above;
  }
  const ExtentNumber number = make();
  extents_[number] = {.data = data,
                      .start = start,
                      .length = length,
                      .entries = 1,
                      .before = before,
                      .behind = above,
                      .below = below,
                      .above = above,
                      .side = side};
  link(c, number, below, above);
  stream_of(c, side).recent_extent = number;
  return number;
}

void ExtentPool::grow_down(Tcb& c, ExtentNumber number, std::int64_t start, const std::uint8_t* data) {
  Extent& extent = extents_[number];
  Stream& stream = stream_of(c, extent.side);
  if (stream.extras && stream.extras->is_indexed) {
    auto entry = stream.extras->extents.extract(extent.start);
    entry.key() = start;
    stream.extras->extents.insert(std::move(entry));
  }
  extent.length += static_cast<std::uint32_t>(extent.start - start);
  extent.start = start;
  extent.data = data;
  ++extent.entries;
  see_gap_below(stream, number);
}

void ExtentPool::link(Tcb& c, ExtentNumber number, ExtentNumber below, ExtentNumber above) {
  const Extent& extent = extents_[number];
  Stream& stream = stream_of(c, extent.side);
  (extent.before ? extents_[extent.before].behind : c.first) = number;
  (extent.behind ? extents_[extent.behind].before : c.last) = number;
  (below ? extents_[below].above : stream.lowest_extent) = number;
  (above ? extents_[above].below : stream.highest_extent) = number;
  if (stream.extras && stream.extras->is_indexed) stream.extras->extents.emplace(extent.start, number);
  see_gap_below(stream, number);
  if (above) see_gap_below(stream, above);
}

void ExtentPool::see_gap_below(Stream& stream, ExtentNumber number) {
  Extent& extent = extents_[number];
  const std::int64_t begin = extent.below ? extents_[extent.below].end() : extent.start;
  const bool is_gap = begin < extent.start && !(stream.extras && stream.extras->cut.covers(begin, extent.start));
  stream.open_gaps += static_cast<std::uint32_t>(is_gap) - static_cast<std::uint32_t>(extent.is_behind_gap);
  extent.is_behind_gap = is_gap;
}

void ExtentPool::see_cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end) {
  ExtentNumber at = next_above(c, side, at_or_below(c, side, begin));
  for (; at; at = extents_[at].above) {
    const ExtentNumber below = extents_[at].below;
    if (below && extents_[below].end() >= end) return;
    see_gap_below(stream_of(c, side), at);
  }
}

ExtentNumber ExtentPool::split(Tcb& c, ExtentNumber number, std::int64_t at) {
  const ExtentNumber second = make();
  Extent& extent = extents_[number];
  const auto kept = static_cast<std::uint32_t>(at - extent.start);
  extents_[second] = {.data = extent.data + kept,
                      .start = at,
                      .length = extent.length - kept,
                      .entries = 0,
                      .before = number,
                      .behind = extent.behind,
                      .below = number,
                      .above = extent.above,
                      .side = extent.side};
  extent.length = kept;
  link(c, second, number, extent.above);
  return second;
}

void ExtentPool::make_extents(Tcb& c, std::span<const InOrderPiece> pieces) {
  const ExtentNumber behind = c.first;
  const std::array<ExtentNumber, 2> above{c.streams[0].lowest_extent, c.streams[1].lowest_extent};
  std::array<std::int64_t, 2> start{c.streams[0].next, c.streams[1].next};
  std::array<ExtentNumber, 2> below{};
  ExtentNumber before = 0;
  for (const InOrderPiece& piece : pieces) start[index_of(piece.side)] -= piece.length;
  for (const InOrderPiece& piece : pieces) {
    const std::size_t side = index_of(piece.side);
    const ExtentNumber number = make();
    extents_[number] = {.data = piece.data,
                        .start = start[side],
                        .length = piece.length,
                        .entries = piece.entries,
                        .before = before,
                        .behind = behind,
                        .below = below[side],
                        .above = above[side],
                        .side = piece.side};
    link(c, number, below[side], above[side]);
    if (piece.is_in_frame) enter_frame(c, number);
    before = below[side] = number;
    start[side] += piece.length;
    c.extent_entries += piece.entries;
  }
  c.forget_in_order();
}

ExtentNumber ExtentPool::make() {
  ++in_use_;
  if (!free_) {
    extents_.emplace_back();
    return static_cast<ExtentNumber>(extents_.size() - 1);
  }
  const ExtentNumber number = free_;
  free_ = extents_[number].behind;
  return number;
}

void ExtentPool::enter_frame(Tcb& c, ExtentNumber number) {
  Extent& extent = extents_[number];
  ExtentNumber& latest = stream_of(c, extent.side).latest_in_frame;
  extent.is_in_frame = true;
  extent.newer_in_frame = 0;
  extent.older_in_frame = latest;
  if (latest) extents_[latest].newer_in_frame = number;
  latest = number;
}

void ExtentPool::leave_frame(Stream& stream, ExtentNumber number) {
  Extent& extent = extents_[number];
  extent.is_in_frame = false;
  (extent.newer_in_frame ? extents_[extent.newer_in_frame].older_in_frame : stream.latest_in_frame) =
      extent.older_in_frame;
  if (extent.older_in_frame) extents_[extent.older_in_frame].newer_in_frame = extent.newer_in_frame;
}

void ExtentPool::leave_frames(Tcb& c) {
  for (Stream& stream : c.streams) {
    while (stream.latest_in_frame) leave_frame(stream, stream.latest_in_frame);
  }
}

void ExtentPool::drop_first(Tcb& c) {
  const ExtentNumber number = c.first;
  Extent& extent = extents_[number];
  Stream& stream = stream_of(c, extent.side);
  if (extent.is_in_frame) leave_frame(stream, number);
  c.first = extent.behind;
  (extent.behind ? extents_[extent.behind].before : c.last) = 0;
  stream.lowest_extent = extent.above;
  (extent.above ? extents_[extent.above].below : stream.highest_extent) = 0;
  if (extent.above) see_gap_below(stream, extent.above);
  if (stream.recent_extent == number) stream.recent_extent = 0;
  if (stream.extras) drop_joined(*stream.extras, number);
  c.extent_entries -= extent.entries;
  c.buffered -= extent.length;
  if (stream.extras && stream.extras->is_indexed) {
    stream.extras->extents.erase(stream.extras->extents.begin());
    stream.extras->is_indexed = !stream.extras->extents.empty();
  }
  extent.behind = free_;
  free_ = number;
  --in_use_;
}

}  // namespace warpmeter::inline stream
