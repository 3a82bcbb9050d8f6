// Policies but `first`: what a newer segment takes from bytes that wait. The list is as with `first`, entry by entry;
// what differs is the bytes, and which segments they are of.
//
// Source: docs/streams.md, "Which copy wins".
#include <algorithm>
#include <cstring>

#include "stream/reassembly/stream_lists.h"

namespace warpmeter::inline stream {

void StreamLists::set_segment(RunNumber run, SegmentExtent segment) {
  if (segments_.size() <= run) segments_.resize(run + std::size_t{1});
  segments_[run] = segment;
}

// REQUIRES: nothing is in the plain part, and no bytes are spans.
void StreamLists::take_over(Tcb& c, StreamSide side, const SegmentExtent& segment, const std::uint8_t* data) {
  RunNumber at = runs_.at_or_below(c, side, segment.start);
  if (!at) at = stream_of(c, side).lowest_run;
  for (; at && runs_[at].start < segment.end; at = runs_[at].above) {
    const std::int64_t from = std::max(segment.start, runs_[at].start), to = std::min(segment.end, runs_[at].end());
    if (from >= to || !newer_wins(options_.overlap, segment, segments_[at])) continue;
    // Whose bytes they were does not matter to `last`. With the others who wins begins no later than the older segment:
    // it takes the run from its start on.
    if (options_.overlap != OverlapPolicy::last) {
      if (to < runs_[at].end()) set_segment(runs_.split(c, at, to), segments_[at]);
      segments_[at] = segment;
    }
    std::uint8_t* const kept = c.held + (runs_[at].data - c.held);
    std::memcpy(kept + (from - runs_[at].start), data + (from - segment.start), static_cast<std::size_t>(to - from));
  }
}

}  // namespace warpmeter::inline stream
