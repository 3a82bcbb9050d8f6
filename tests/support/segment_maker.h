// Segments in one expression: test_segment(7).tcp(seq, kSyn).
#pragma once

#include <cstdint>

#include "core/segment.h"

namespace warpmeter::test {

struct SegmentMaker : Segment {
  SegmentMaker& tcp(std::uint32_t seq, std::uint8_t tcp_flags, std::uint32_t payload = 0) {
    kind |= kTcpSegment;
    sequence = seq;
    flags = tcp_flags;
    payload_length = payload;
    length = 40 + payload;
    window = 1000;
    return *this;
  }
  SegmentMaker& identified(std::uint64_t a, std::uint32_t b = 0) {
    kind |= kHasIdentity;
    identity_a = a;
    identity_b = b;
    return *this;
  }
  SegmentMaker& anonymous() {
    kind |= kAnonymous;
    return *this;
  }
};

// 100 bytes long, of no protocol in particular, without identity.
inline SegmentMaker test_segment(std::int64_t time_ns) {
  SegmentMaker segment;
  segment.time_ns = time_ns;
  segment.length = 100;
  return segment;
}

}  // namespace warpmeter::test
