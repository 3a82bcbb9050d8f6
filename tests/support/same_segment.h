// Segments compared field by field: behind the last one there is padding.
#pragma once

#include "warpmeter/segment.h"

namespace warpmeter::test {

inline bool same_segment(const Segment& a, const Segment& b) {
  return a.time_ns == b.time_ns && a.identity.a == b.identity.a && a.identity.b == b.identity.b && a.frame == b.frame &&
         a.sequence == b.sequence && a.length == b.length && a.payload_length == b.payload_length &&
         a.window == b.window && a.flags == b.flags && a.kind == b.kind;
}

}  // namespace warpmeter::test
