// Applies an overlap policy to what waits: by every policy but `first` a newer segment may win bytes of older ones.
//
// The list is as with `first`, entry by entry; what differs is the bytes, and which segments they are of. All that a
// policy asks is how the payload of the newer segment lies to that of the segment which the byte is of so far.
//
// Source: docs/streams.md, "Which copy wins".
//
// Threads: one owner.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stream/reassembly/counted_memory.h"
#include "stream/reassembly/extent_pool.h"
#include "stream/reassembly/reassembler_options.h"
#include "stream/reassembly/tcb.h"

namespace warpmeter::inline stream {

// Of the payload of a segment, as far as it was captured: its first number, and that behind its last.
struct SegmentRange {
  std::int64_t start, end;
};

class OverlapResolver {
 public:
  explicit OverlapResolver(OverlapPolicy policy) : policy_(policy) {}

  // Does what came first stay? Then nothing below is called, and entries of several segments may be one extent.
  bool keeps_first() const { return policy_ == OverlapPolicy::first; }

  // All bytes of an extent are of this segment.
  void set_segment(ExtentNumber extent, SegmentRange segment);

  // A segment of this direction, whose payload lies at `data`, takes those bytes that it wins from the extents that
  // have them. REQUIRES: these are copies of their own, and nothing is in the in-order buffer.
  void overwrite(ExtentPool& extents, Tcb& c, StreamSide side, const SegmentRange& segment, const std::uint8_t* data);

  // Bytes that this takes for each extent.
  std::size_t extent_bytes() const { return keeps_first() ? 0 : sizeof(SegmentRange); }
  // REQUIRES: there are no extents.
  void forget() { give_room_back(segments_); }

 private:
  const OverlapPolicy policy_;
  std::vector<SegmentRange> segments_;  // by extent
};

}  // namespace warpmeter::inline stream
