// Which copy of a byte is kept that came twice while it waits: the rules, without what they are applied to.
//
// All that is asked is how the payload of the newer segment lies to that of the segment which the byte is of so far.
//
// Source: docs/streams.md, "Which copy wins".
#pragma once

#include <cstdint>

#include "stream/reassembly/reassembler_options.h"

namespace warpmeter::inline stream {

// Of the payload of a segment, as far as it was captured: its first number, and that behind its last.
struct SegmentRange {
  std::int64_t start, end;
};

inline bool newer_wins(OverlapPolicy policy, const SegmentRange& newer, const SegmentRange& older) {
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

}  // namespace warpmeter::inline stream
