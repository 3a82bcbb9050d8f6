// A batch of segments in device memory, with what the kernels find out about each. Columns of `count` elements; the
// duplicate check also looks `before` elements back, at the segments that came just before the batch: for that each
// input column lies behind a copy of the last ones of its predecessors.
//
// Shape: a view, passed to kernels by value; the engine owns the memory.
#pragma once

#include <cstdint>

#include "core/segment.h"
#include "warpmeter/flow_key.h"

namespace warpmeter {

// What was found out about a segment.
enum Mark : std::uint8_t {
  kDuplicate = 1,
  kRetransmitted = 2,
  kRepeated = 4,  // its {flow, sequence} was in a segment table before: with a gap, time decides
};

struct BatchView {
  const FlowKey* key;
  const std::uint64_t* hash;
  const Segment* segment;
  const std::uint64_t* number;  // packet number

  std::uint32_t count;
  std::uint32_t before;    // elements at [-before, -1] of the four columns above
  std::uint64_t in_block;  // segments of its memory block in batches before

  std::uint32_t* flow;          // flow id; `no_flow` where the CPU has to meter the segment
  std::uint32_t* segment_slot;  // its place in the segment table; SegmentTableRef::kNotFound: not entered
  std::uint8_t* mark;           // Mark bits
  std::uint32_t no_flow;        // one more than the largest flow id

  // Of the memory block. Not by numbers of packets: all those of a frame have the same.
  WARPMETER_HD std::uint32_t arrival(std::uint32_t i) const { return static_cast<std::uint32_t>(in_block + i); }
  // No && but &: all is loaded at once, rather than one after the other as each is known to be needed.
  WARPMETER_HD bool is_counted_data(std::uint32_t i) const {
    const Segment& s = segment[i];
    return (flow[i] != no_flow) & !(mark[i] & kDuplicate) & ((s.kind & kTcpSegment) != 0) & !(s.flags & kRst) &
           (s.payload_length > 0);
  }
};

}  // namespace warpmeter
