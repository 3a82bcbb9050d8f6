// A verdict: what a segment is to its flow, as a value. Judging makes it and changes nothing (judge.h); applying it
// changes the state (apply.h); anyone downstream may look at it too, such as who puts streams together.
//
// 16 bytes, so that functions return it in registers: what can be had from the segment is left there.
#pragma once

#include <cstdint>

#include "core/flow_boundary.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"

namespace warpmeter {

struct Verdict {
  // In the words of docs/definitions.md, where it has them. Method five-tuple tells apart what was retransmitted and,
  // of the rest, where it lies.
  enum class Kind : std::uint8_t {
    no_numbers,  // of another protocol, or a TCP header cut short or malformed
    duplicate,   // a mirror port's copy
    reset,       // touches no sequence state
    first,       // the first numbers of its incarnation
    in_order,    // begins, or its payload does, at the highest end
    ahead,       // begins above the highest end: what lies between is missing, for now
    keep_alive,
    retransmitted,
    out_of_order,   // fills a hole, or lies below all that was seen
    behind,         // below the highest end without payload: an old acknowledgement, a SYN or FIN once more
    stray,          // its numbers do not fit (stray.h)
    second_answer,  // a SYN+ACK with another ISN than the one before: touches no sequence state but to forget it
  };

  // Where in the payload lie the bytes that were seen before?
  enum class Overlap : std::uint8_t { front, back, scattered };

  std::int64_t start = 0;         // its sequence number, unwrapped; valid if it has numbers
  std::uint32_t seen_before = 0;  // payload bytes that were seen before
  Overlap overlap = Overlap::front;
  Kind kind = Kind::no_numbers;
  SpanPlace place = SpanPlace::nowhere;
  Boundary boundary = Boundary::none;  // what lies right before the segment: an incarnation that ended, or began?

  // `s` is the segment judged.
  WARPMETER_HD SequenceSpan span(const Segment& s) const { return span_from(start, s); }

  // Holds all of the payload that is new; and nothing else, unless what was seen before is scattered.
  WARPMETER_HD NumberRange new_bytes(const Segment& s) const {
    NumberRange range = span(s).payload();
    if (overlap == Overlap::front) range.begin += seen_before;
    else if (overlap == Overlap::back) range.end -= seen_before;
    return range;
  }
};
static_assert(sizeof(Verdict) == 16);

// All that metering sees of one packet, for those who ask: its verdict, and facts of the state as it was before.
struct JudgedPacket {
  static constexpr std::int64_t kNoGap = -1;

  Verdict verdict;
  std::uint64_t flow = 0;          // the packet that its flow, or this part of it, begins with
  std::uint64_t duplicate_of = 0;  // of a duplicate, the packet that it is a copy of
  std::int64_t gap_ns = kNoGap;    // since the flow's latest packet, 0 where time runs back; kNoGap: it opens the flow
  std::int64_t skipped = 0;        // numbers between the highest end and the segment: missing, for now
};

}  // namespace warpmeter
