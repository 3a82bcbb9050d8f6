#include "stream/reassembly/reassembly_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace warpmeter::inline stream {
namespace {

// Entries that are moved to the in-order buffer when the gap before them is filled; more stay where they are.
constexpr std::uint32_t kMostMoved = 16;

bool newer_wins(OverlapPolicy policy, const SegmentRange& newer, const SegmentRange& older) {
  switch (policy) {
    case OverlapPolicy::first: return false;
    case OverlapPolicy::last: return true;
    case OverlapPolicy::bsd:
    case OverlapPolicy::windows: return newer.start < older.start;
    case OverlapPolicy::linux_:
      return newer.start < older.start || (newer.start == older.start && newer.end > older.end);
  }
  return false;
}

}  // namespace

template <class Storage>
ReassemblyQueue<Storage>::ReassemblyQueue(const ReassemblerOptions& options, StreamConsumer& consumer,
                                          std::shared_ptr<SharedBuffers> shared)
    : gap_packets_(options.gap_packets),
      consumer_(consumer),
      shared_(std::move(shared)),
      overlaps_(options.overlap),
      storage_(shared_->blocks),
      in_order_(storage_),
      out_of_order_(overlaps_.extent_bytes(), shared_->parts.new_ranges),
      block_(shared_->parts, out_of_order_.memory()) {}

template <class Storage>
void ReassemblyQueue<Storage>::trim() {
  if (out_of_order_.trim()) overlaps_.forget();
}

template <class Storage>
void ReassemblyQueue<Storage>::begin_at(Tcb& c, StreamSide side, std::int64_t start) {
  Stream& stream = stream_of(c, side);
  if (stream.has_in_order()) make_extents(c);  // now there may be a gap before them
  stream.state.place();
  stream.base = stream.position = stream.next = start;
}

template <class Storage>
void ReassemblyQueue<Storage>::put(Tcb& c, StreamSide side, std::int64_t start, const PayloadSegment& s,
                                   bool in_order) {
  Stream& stream = stream_of(c, side);
  if (s.captured < s.payload_length) {
    out_of_order_.cut(c, side, start + s.captured, start + s.payload_length);
    stream.counters.cut_bytes += s.payload_length - s.captured;
  }
  if (s.captured == 0) return;
  if (in_order && (!stream.state.has_position() || start >= stream.position)) {
    enter_behind(c, side, start, s.data, s.captured);
  } else {
    put_among(c, side, start, s.data, s.captured, in_order);
  }
}

// What may repeat bytes, or fill a gap.
template <class Storage>
void ReassemblyQueue<Storage>::put_among(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                         std::uint32_t length, bool in_order) {
  Stream& stream = stream_of(c, side);
  const std::int64_t end = start + length;
  const bool has_position = stream.state.has_position(), keeps_first = overlaps_.keeps_first();
  const bool was_submitted = has_position && end <= stream.position;
  if (stream.has_in_order() && start < stream.next && !was_submitted) make_extents(c);
  const std::uint64_t late =
      has_position ? OutOfOrderQueue::never_seen(stream, start, std::min(end, stream.position)) : 0;
  const OutOfOrderQueue::Brought brought = out_of_order_.look_for_news(c, side, start, data, end);
  std::uint64_t repeated = length - late;
  for (const NumberRange& piece : brought.news) repeated -= static_cast<std::uint64_t>(piece.end - piece.begin);
  stream.counters.late_bytes += late;
  if (repeated > 0) {
    stream.counters.repeated_bytes += repeated;
    stream.counters.repeated_segments += brought.news.empty() && late == 0;
    stream.counters.conflicting_bytes += brought.conflicting;
    if (!keeps_first) overlaps_.overwrite(out_of_order_.extents(), c, side, {start, end}, data);
  } else if (!in_order) {
    ++stream.counters.out_of_order_segments;
  }
  ExtentPool& extents = out_of_order_.extents();
  for (const NumberRange& piece : brought.news) {
    // What was put in before may have moved others.
    const bool is_known = keeps_first && &piece == brought.news.data();
    const ExtentNumber below = is_known ? brought.below_new : extents.at_or_below(c, side, piece.begin);
    enter_among(c, side, piece.begin, data + (piece.begin - start), static_cast<std::uint32_t>(piece.end - piece.begin),
                below);
    if (!keeps_first) overlaps_.set_segment(extents.at_or_below(c, side, piece.begin), {start, end});
  }
  if (keeps_first) out_of_order_.note_passed(c, side, start, end, brought.passed);
}

// Behind all that the direction has, at the end of the list.
template <class Storage>
void ReassemblyQueue<Storage>::enter_behind(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                            std::uint32_t length) {
  Stream& stream = stream_of(c, side);
  if (overlaps_.keeps_first() && !c.first && in_order_.follows(stream, start)) {
    return in_order_.put(c, side, start, data, length, 1);
  }
  enter_extent(c, side, start, data, length, stream.highest_extent);
  if (!overlaps_.keeps_first()) overlaps_.set_segment(stream.highest_extent, {start, start + length});
}

// Where it belongs, perhaps into a gap. `below`: the extent that it comes behind.
template <class Storage>
void ReassemblyQueue<Storage>::enter_among(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                           std::uint32_t length, ExtentNumber below) {
  Stream& stream = stream_of(c, side);
  const bool is_before_all = !below && (stream.lowest_extent ? stream.lowest_extent == c.first : !c.first);
  if (!overlaps_.keeps_first() || !is_before_all || !in_order_.follows(stream, start)) {
    return enter_extent(c, side, start, data, length, below);
  }
  in_order_.put(c, side, start, data, length, 1);
  if (c.extent_entries <= kMostMoved) move_what_follows(c);
}

// `below`: the extent that the bytes come behind, in their direction.
template <class Storage>
void ReassemblyQueue<Storage>::enter_extent(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                            std::uint32_t length, ExtentNumber below) {
  ExtentPool& extents = out_of_order_.extents();
  const ExtentNumber above = extents.next_above(c, side, below);
  const bool may_join = !Storage::kPointsIntoFrames && overlaps_.keeps_first() &&
                        out_of_order_.may_join(stream_of(c, side), below, above);
  const bool in_reverse = may_join && above && extents[above].start == start + length;
  data = storage_.keep(c, extents, data, length, in_reverse);
  const ExtentNumber extent = extents.insert(c, side, start, data, length, below, may_join);
  if constexpr (Storage::kPointsIntoFrames) extents.enter_frame(c, extent);
}

// A gap was filled: what had to wait behind it no longer has to.
template <class Storage>
void ReassemblyQueue<Storage>::move_what_follows(Tcb& c) {
  ExtentPool& extents = out_of_order_.extents();
  while (c.first) {
    const Extent extent = extents[c.first];
    if (!in_order_.follows(stream_of(c, extent.side), extent.start)) return;
    extents.drop_first(c);
    storage_.note_left(extent.length, extent.entries);
    in_order_.put(c, extent.side, extent.start, extent.data, extent.length, extent.entries);
  }
  storage_.extents_moved(c);
}

// What is in order becomes extents, for what comes among its bytes.
template <class Storage>
void ReassemblyQueue<Storage>::make_extents(Tcb& c) {
  if (in_order_.is_empty(c)) return;
  std::vector<InOrderPiece>& pieces = shared_->parts.in_order_pieces;
  pieces.clear();
  storage_.for_each_piece(c, [&](const InOrderPiece& piece) { pieces.push_back(piece); });
  storage_.keep_in_order(c, out_of_order_.extents(), pieces);
  out_of_order_.extents().make_extents(c, pieces);
}

// Nothing is in order afterwards.
template <class Storage>
void ReassemblyQueue<Storage>::give_block(Tcb& c, StreamReason reason, std::uint64_t packet, bool wait) {
  const ExtentNumber stop = wait ? out_of_order_.first_to_wait(c, gap_packets_) : 0;
  if (c.first == stop && in_order_.is_empty(c)) return;
  block_.begin();
  add_to_block(c, stop);
  for (Stream& stream : c.streams) {
    if (stream.extras && stream.state.has_position()) stream.extras->cut.drop_below(stream.position);
  }
  consumer_.take(c, {reason, packet, block_.finish(!Storage::kPointsIntoFrames)});
  ++blocks_;
  drop_list(c, stop);
  block_.forget();
}

// What is in order, and the extents before `stop`.
template <class Storage>
void ReassemblyQueue<Storage>::add_to_block(Tcb& c, ExtentNumber stop) {
  in_order_.place(c);
  storage_.for_each_piece(c, [&](const InOrderPiece& piece) {
    Stream& stream = stream_of(c, piece.side);
    block_.add(stream, piece.side, stream.position, piece.data, piece.length);
  });
  const ExtentPool& extents = out_of_order_.extents();
  for (ExtentNumber at = c.first; at != stop; at = extents[at].behind) {
    const Extent& extent = extents[at];
    block_.add(stream_of(c, extent.side), extent.side, extent.start, extent.data, extent.length);
  }
}

template <class Storage>
void ReassemblyQueue<Storage>::drop_list(Tcb& c, ExtentNumber stop) {
  c.max_buffered = std::max(c.max_buffered, c.buffered);
  const std::uint32_t bytes = c.buffered, entries = Storage::entries_in_order(c) + c.extent_entries;
  in_order_.clear(c);
  while (c.first != stop) out_of_order_.extents().drop_first(c);
  storage_.note_left(bytes - c.buffered, entries - c.extent_entries);
  if (!c.first) storage_.give_back_held(c);
}

template class ReassemblyQueue<CopiedBytes>;
template class ReassemblyQueue<FrameSpans>;

void OverlapResolver::set_segment(ExtentNumber extent, SegmentRange segment) {
  if (segments_.size() <= extent) segments_.resize(extent + std::size_t{1});
  segments_[extent] = segment;
}

void OverlapResolver::overwrite(ExtentPool& extents, Tcb& c, StreamSide side, const SegmentRange& segment,
                                const std::uint8_t* data) {
  ExtentNumber at = extents.at_or_below(c, side, segment.start);
  if (!at) at = stream_of(c, side).lowest_extent;
  for (; at && extents[at].start < segment.end; at = extents[at].above) {
    const std::int64_t from = std::max(segment.start, extents[at].start), to = std::min(segment.end, extents[at].end());
    if (from >= to || !newer_wins(policy_, segment, segments_[at])) continue;
    // Whose bytes they were does not matter to `last`. With the others who wins begins no later than the older segment:
    // it takes the extent from its start on.
    if (policy_ != OverlapPolicy::last) {
      if (to < extents[at].end()) set_segment(extents.split(c, at, to), segments_[at]);
      segments_[at] = segment;
    }
    std::uint8_t* const kept = c.held + (extents[at].data - c.held);
    std::memcpy(kept + (from - extents[at].start), data + (from - segment.start), static_cast<std::size_t>(to - from));
  }
}

}  // namespace warpmeter::inline stream
