#include "stream/reassembly/overlap_resolver.h"

#include <algorithm>
#include <cstring>

namespace warpmeter::inline stream {
namespace {

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
