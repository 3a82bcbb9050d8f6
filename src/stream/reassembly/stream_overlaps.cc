// Policies but `first`: what a newer segment takes from bytes that wait. The list is as with `first`, entry by entry;
// what differs is the bytes, and which segments they are of.
//
// Source: docs/streams.md, "Which copy wins".
#include <algorithm>
#include <cstring>

#include "stream/reassembly/reassembly_queue.h"

namespace warpmeter::inline stream {

void ReassemblyQueue::set_segment(ExtentNumber extent, SegmentRange segment) {
  if (segments_.size() <= extent) segments_.resize(extent + std::size_t{1});
  segments_[extent] = segment;
}

// REQUIRES: nothing is in order, and no bytes are spans.
void ReassemblyQueue::take_over(Tcb& c, StreamSide side, const SegmentRange& segment, const std::uint8_t* data) {
  ExtentNumber at = extents_.at_or_below(c, side, segment.start);
  if (!at) at = stream_of(c, side).lowest_extent;
  for (; at && extents_[at].start < segment.end; at = extents_[at].above) {
    const std::int64_t from = std::max(segment.start, extents_[at].start),
                       to = std::min(segment.end, extents_[at].end());
    if (from >= to || !newer_wins(options_.overlap, segment, segments_[at])) continue;
    // Whose bytes they were does not matter to `last`. With the others who wins begins no later than the older segment:
    // it takes the extent from its start on.
    if (options_.overlap != OverlapPolicy::last) {
      if (to < extents_[at].end()) set_segment(extents_.split(c, at, to), segments_[at]);
      segments_[at] = segment;
    }
    std::uint8_t* const kept = c.held + (extents_[at].data - c.held);
    std::memcpy(kept + (from - extents_[at].start), data + (from - segment.start), static_cast<std::size_t>(to - from));
  }
}

}  // namespace warpmeter::inline stream
