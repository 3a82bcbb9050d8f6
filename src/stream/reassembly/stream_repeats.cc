// What segments bring that was there before: what of them is new, and what differs.
//
// A segment may pass over as many extents as it has bytes, again and again. So those that it has passed over are
// joined: their bytes lie once more in one piece, which the next segment passes over in one step. Extents stay as they
// are, since between those of one direction there may be those of the other.
//
// Source: docs/streams.md.
#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/byte_order.h"
#include "stream/reassembly/reassembly_queue.h"

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

}  // namespace

void ReassemblyQueue::put_among(Tcb& c, StreamSide side, std::int64_t start, const std::uint8_t* data,
                                std::uint32_t length, bool in_order) {
  Stream& stream = stream_of(c, side);
  const std::int64_t end = start + length;
  const bool keeps_first = overlaps_.keeps_first();
  const bool was_submitted = stream.state.has_position() && end <= stream.position;
  if (stream.has_in_order() && start < stream.next && !was_submitted) make_extents(c);
  const std::uint64_t late =
      stream.state.has_position() ? never_seen(stream, start, std::min(end, stream.position)) : 0;
  const std::uint64_t conflicting = find_new(c, side, start, data, end);
  std::uint64_t repeated = length - late;
  for (const NumberRange& piece : parts_.new_ranges) repeated -= static_cast<std::uint64_t>(piece.end - piece.begin);
  stream.counters.late_bytes += late;
  if (repeated > 0) {
    stream.counters.repeated_bytes += repeated;
    stream.counters.repeated_segments += parts_.new_ranges.empty() && late == 0;
    stream.counters.conflicting_bytes += conflicting;
    if (!keeps_first) overlaps_.overwrite(extents_, c, side, {start, end}, data);
  } else if (!in_order) {
    ++stream.counters.out_of_order_segments;
  }
  for (const NumberRange& piece : parts_.new_ranges) {
    // What was put in before may have moved others.
    const bool is_known = keeps_first && &piece == parts_.new_ranges.data();
    const ExtentNumber below = is_known ? below_new_ : extents_.at_or_below(c, side, piece.begin);
    enter(c, side, piece.begin, data + (piece.begin - start), static_cast<std::uint32_t>(piece.end - piece.begin),
          below);
    if (!keeps_first) overlaps_.set_segment(extents_.at_or_below(c, side, piece.begin), {start, end});
  }
  if (keeps_first && passed_ > kMostPassed) join_passed(c, side, start, end);
}

// Calls see(Waiting) for all that waits and may reach into [begin, end), in order: extents, and those that are joined.
template <class See>
void ReassemblyQueue::pass_over(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end, const See& see) {
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

// Are these the last extent of several that are joined, or the first one? Then it is as long as it is.
bool ReassemblyQueue::touches_joined(const Stream& stream, ExtentNumber below, ExtentNumber above) const {
  if (!stream.extras || stream.extras->joined.empty()) return false;
  const auto& joined = stream.extras->joined;
  if (above && joined.contains(extents_[above].start)) return true;
  if (!below) return false;
  const auto next = joined.upper_bound(extents_[below].start);
  return next != joined.begin() && std::prev(next)->second.last == below;
}

// What of [begin, end) from the position on is not in the list. Returns how many bytes differ from those in the list.
std::uint64_t ReassemblyQueue::find_new(Tcb& c, StreamSide side, std::int64_t begin, const std::uint8_t* data,
                                        std::int64_t end) {
  const Stream& stream = stream_of(c, side);
  const std::int64_t start = begin;
  std::uint64_t conflicting = 0;
  parts_.new_ranges.clear();
  passed_ = below_new_ = 0;
  if (stream.state.has_position()) begin = std::max(begin, stream.position);
  if (begin >= end) return 0;
  pass_over(c, side, begin, end, [&](const Waiting& waiting) {
    ++passed_;
    if (begin < waiting.start) parts_.new_ranges.push_back({begin, waiting.start});
    if (parts_.new_ranges.empty()) below_new_ = waiting.last;
    const std::int64_t from = std::max(begin, waiting.start), to = std::min(end, waiting.end);
    if (from >= to) return;
    conflicting += differing(data + (from - start), waiting.data + (from - waiting.start), to - from);
    begin = to;
  });
  if (begin < end) parts_.new_ranges.push_back({begin, end});
  return conflicting;
}

// Bytes of [begin, end), which lies below the position, that were never seen: below the first one, and in gaps that
// were given up, of which a segment may meet as many as it has bytes.
std::uint64_t ReassemblyQueue::never_seen(const Stream& stream, std::int64_t begin, std::int64_t end) {
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

// What lies behind each other of what waits in [begin, end) becomes one, but for what reaches beyond it: so that no
// more is copied than the segment has, which has passed over it.
void ReassemblyQueue::join_passed(Tcb& c, StreamSide side, std::int64_t begin, std::int64_t end) {
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

}  // namespace warpmeter::inline stream
