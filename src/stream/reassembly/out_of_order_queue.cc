#include "stream/reassembly/out_of_order_queue.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/byte_order.h"

namespace warpmeter::inline stream {
namespace {

// Extents, or joined ones, that a segment passes over before they are joined.
constexpr std::uint32_t kMostPassed = 8;

std::uint64_t differing(const std::uint8_t* a, const std::uint8_t* b, std::int64_t length) {
  if (std::memcmp(a, b, static_cast<std::size_t>(length)) == 0) return 0;
  constexpr std::uint64_t kOnes = 0x0101'0101'0101'0101, kLow = 0x7f * kOnes;
  std::uint64_t sum = 0;
  std::int64_t i = 0;
  for (; i + 8 <= length; i += 8) {
    const std::uint64_t x = load<std::uint64_t>(a + i) ^ load<std::uint64_t>(b + i);
    const std::uint64_t is_set = ((((x & kLow) + kLow) | x) & ~kLow) >> 7;  // in the lowest bit of each byte
    sum += is_set * kOnes >> 56;
  }
  for (; i < length; ++i) sum += a[i] != b[i];
  return sum;
}

// Is anything missing that the capture has not cut off?
bool is_gap(const Stream& stream, std::int64_t begin, std::int64_t end) {
  return begin < end && !(stream.extras && stream.extras->cut.covers(begin, end));
}

}  // namespace

// Calls see(Waiting) for all that waits and may reach into [begin, end), in order: extents, and those that are joined.
template <class See>
void OutOfOrderQueue::pass_over(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end, const See& see) {
  const Stream& stream = stream_of(c, side);
  const JoinedMap* const all = stream.extras ? &stream.extras->joined : nullptr;
  JoinedMap::const_iterator joined;
  bool begins_joined = false;
  if (all) {
    joined = all->upper_bound(begin);
    begins_joined = joined != all->begin() && std::prev(joined)->second.end > begin;
    if (begins_joined) --joined;
  }
  ExtentNumber extent = begins_joined ? 0 : extents_.at_or_below(c, side, begin);
  if (!extent && !begins_joined) extent = stream.lowest_extent;
  while (begins_joined || (extent && extents_[extent].start < end)) {
    Waiting waiting{extents_[extent].start, extents_[extent].end(), extents_[extent].data, extent};
    if (begins_joined || (all && joined != all->end() && joined->first <= extents_[extent].start)) {
      const auto& [start, one] = *joined++;
      waiting = {start, one.end, one.bytes.data(), one.last};
      begins_joined = false;
    }
    see(waiting);
    extent = extents_[waiting.last].above;
  }
}

bool OutOfOrderQueue::may_join(const Stream& stream, ExtentNumber below, ExtentNumber above) const {
  if (!stream.extras || stream.extras->joined.empty()) return true;
  const auto& joined = stream.extras->joined;
  if (above && joined.contains(extents_[above].start)) return false;
  if (!below) return true;
  const auto next = joined.upper_bound(extents_[below].start);
  return next == joined.begin() || std::prev(next)->second.last != below;
}

OutOfOrderQueue::Brought OutOfOrderQueue::look_for_news(Tcb& c, StreamSide side, std::int64_t begin,
                                                        const std::uint8_t* data, std::int64_t end) {
  const Stream& stream = stream_of(c, side);
  const std::int64_t start = begin;
  Brought brought{.news = ranges_};
  ranges_.clear();
  if (stream.state.has_position()) begin = std::max(begin, stream.position);
  if (begin >= end) return brought;
  pass_over(c, side, begin, end, [&](const Waiting& waiting) {
    ++brought.passed;
    if (begin < waiting.start) ranges_.push_back({begin, waiting.start});
    if (ranges_.empty()) brought.below_new = waiting.last;
    const std::int64_t from = std::max(begin, waiting.start), to = std::min(end, waiting.end);
    if (from >= to) return;
    brought.conflicting += differing(data + (from - start), waiting.data + (from - waiting.start), to - from);
    begin = to;
  });
  if (begin < end) ranges_.push_back({begin, end});
  return brought;
}

std::uint64_t OutOfOrderQueue::never_seen(const Stream& stream, std::int64_t begin, std::int64_t end) {
  const std::int64_t below = std::max<std::int64_t>(std::min(end, stream.base) - begin, 0);
  begin += below;
  const auto sum = static_cast<std::uint64_t>(below);
  if (!stream.extras || begin >= end) return sum;
  const StreamExtras& extras = *stream.extras;
  const auto given_up_below = [&](std::int64_t number) -> std::uint64_t {
    const auto offset = static_cast<std::uint64_t>(number - stream.base);
    const auto above = std::ranges::partition_point(extras.gaps, [&](const StreamGap& g) { return g.offset < offset; });
    if (above == extras.gaps.begin()) return 0;
    const std::uint64_t end_of_last = std::prev(above)->offset + std::prev(above)->length;
    return extras.gap_sums[static_cast<std::size_t>(above - extras.gaps.begin()) - 1] -
           (std::max(end_of_last, offset) - offset);
  };
  return sum + given_up_below(end) - given_up_below(begin);
}

void OutOfOrderQueue::note_passed(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end, std::uint32_t passed) {
  if (passed > kMostPassed) join_passed(c, side, begin, end);
}

// What lies behind each other of what waits in [begin, end) becomes one, but for what reaches beyond it: so that no
// more is copied than the segment has, which has passed over it.
void OutOfOrderQueue::join_passed(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end) {
  struct Group {
    std::int64_t start;
    JoinedExtents joined;
    bool is_alone;
  };
  std::vector<Group> groups;
  pass_over(c, side, begin, end, [&](const Waiting& waiting) {
    if (waiting.start < begin || waiting.end > end) return;
    const bool begins = groups.empty() || groups.back().joined.end != waiting.start;
    if (begins) groups.push_back({waiting.start, {0, 0, std::pmr::vector<std::uint8_t>(&extras_memory_)}, true});
    Group& group = groups.back();
    if (begins) group.joined.bytes.reserve(static_cast<std::size_t>(end - waiting.start));
    group.joined.bytes.insert(group.joined.bytes.end(), waiting.data, waiting.data + (waiting.end - waiting.start));
    group.joined.end = waiting.end;
    group.joined.last = waiting.last;
    group.is_alone = begins;
  });
  auto& all = extras_of(stream_of(c, side), extras_memory_).joined;
  for (Group& group : groups) {
    if (group.is_alone) continue;
    const auto behind = all.erase(all.lower_bound(group.start), all.lower_bound(group.joined.end));
    all.emplace_hint(behind, group.start, std::move(group.joined));
  }
}

void OutOfOrderQueue::cut(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end) {
  Stream& stream = stream_of(c, side);
  StreamExtras& extras = extras_of(stream, extras_memory_);
  if (stream.state.has_position()) begin = std::max(begin, stream.position);
  if (begin >= end) return;
  ranges_.clear();
  if (stream.open_gaps > 0)
    extras.cut.for_each_missing(begin, end, [this](auto b, auto e) { ranges_.push_back({b, e}); });
  extras.cut.add(begin, end);
  for (const NumberRange& piece : ranges_) extents_.see_cut(c, side, piece.begin, piece.end);
}

ExtentNumber OutOfOrderQueue::first_to_wait(const Tcb& c, std::uint32_t gap_packets) const {
  std::array<std::int64_t, 2> expected{c.streams[0].next, c.streams[1].next};  // 0: any number
  std::uint32_t left = c.extent_entries;
  for (ExtentNumber at = c.first; at; at = extents_[at].behind) {
    const Extent& extent = extents_[at];
    const int side = static_cast<int>(extent.side);
    std::int64_t& next = expected[side];
    if (next != 0 && left <= gap_packets && is_gap(c.streams[side], next, extent.start)) return at;
    next = extent.end();
    left -= extent.entries;
  }
  return 0;
}

// A FIN may wait for long, and each segment asks: so the gaps between extents are counted as these come and go.
bool OutOfOrderQueue::reaches_fin(const Tcb& c, StreamSide side) const {
  const Stream& stream = stream_of(c, side);
  if (stream.open_gaps > 0) return false;
  const bool is_next_known = stream.next != 0;
  if (!stream.lowest_extent) return !is_next_known || !is_gap(stream, stream.next, stream.fin);
  if (is_next_known && is_gap(stream, stream.next, extents_[stream.lowest_extent].start)) return false;
  return !is_gap(stream, extents_[stream.highest_extent].end(), stream.fin);
}

bool OutOfOrderQueue::trim() {
  const bool is_empty = extents_.in_use() == 0;
  if (is_empty) extents_.forget();
  if (extras_memory_.bytes() == 0) pools_.release();
  return is_empty;
}

}  // namespace warpmeter::inline stream
