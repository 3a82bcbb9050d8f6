// TCP sequence numbers (RFC 9293 section 3.4): 32 bits on the wire, compared modulo 2^32; 64 bits in the flow state,
// unwrapped relative to the highest sequence end seen, so that a flow may wrap any number of times. All arithmetic with
// them is here: how far apart they are, which ones a segment carries, and where these lie beside those seen so far.
#pragma once

#include <cstdint>

#include "core/segment.h"
#include "warpmeter/hd.h"

namespace warpmeter {

// From one number to the other, the shorter way round; exactly 2^31 is backwards.
WARPMETER_HD inline std::int32_t sequence_distance(std::uint32_t from, std::uint32_t to) {
  return static_cast<std::int32_t>(to - from);
}

WARPMETER_HD inline std::uint32_t on_wire(std::int64_t number) { return static_cast<std::uint32_t>(number); }

// The unwrapped number congruent to `sequence` that lies nearest to `highest`; a distance of exactly 2^31 is below.
WARPMETER_HD inline std::int64_t unwrap(std::uint32_t sequence, std::int64_t highest) {
  return highest + sequence_distance(on_wire(highest), sequence);
}

// Would `sequence` unwrap to `number` itself?
WARPMETER_HD inline bool is_at(std::uint32_t sequence, std::int64_t number) { return sequence == on_wire(number); }

// Does `next` come right after the `length` numbers from `sequence` on?
WARPMETER_HD inline bool follows(std::uint32_t next, std::uint32_t sequence, std::uint32_t length) {
  return next == sequence + length;
}

// Numbers this near to each other and to the highest end seen unwrap to the same in any order: with all distances below
// 2^28, none to a passing highest end reaches 2^31.
inline constexpr std::int32_t kNearNumbers = 1 << 28;

WARPMETER_HD inline bool is_near(std::int32_t distance) { return distance > -kNearNumbers && distance < kNearNumbers; }

// Starts that are further above the highest end than this, or as far below it as that, do not fit (stray.h).
inline constexpr std::int64_t kFarAhead = std::int64_t{1} << 26, kFarBehind = std::int64_t{1} << 30;

// Half open, unwrapped.
struct NumberRange {
  std::int64_t begin, end;

  WARPMETER_HD std::int64_t size() const { return end - begin; }
  WARPMETER_HD bool empty() const { return begin >= end; }

  // The part of it that lies in [from, to), if there is one; else empty.
  WARPMETER_HD NumberRange within(std::int64_t from, std::int64_t to) const {
    return {begin > from ? begin : from, end < to ? end : to};
  }
};

// The numbers a segment carries: [start, end) in all, of which [first_byte, fin) payload, then perhaps a FIN at `fin`.
struct SequenceSpan {
  std::int64_t start, first_byte, fin, end;

  WARPMETER_HD NumberRange all() const { return {start, end}; }
  WARPMETER_HD NumberRange payload() const { return {first_byte, fin}; }
};

// `start`: the segment's sequence number, unwrapped.
WARPMETER_HD inline SequenceSpan span_from(std::int64_t start, const Segment& s) {
  SequenceSpan span;
  span.start = start;
  span.first_byte = span.start + (s.flags & kSyn ? 1 : 0);
  span.fin = span.first_byte + s.payload_length;
  span.end = span.fin + (s.flags & kFin ? 1 : 0);
  return span;
}

// Where a segment's numbers lie beside [lowest, highest), which spans those seen so far.
enum class SpanPlace : std::uint8_t {
  nowhere,  // it has none
  first,    // none were seen so far
  next,     // it begins at the highest end, where the next number is expected
  above,    // it begins above that: numbers in between are not seen yet
  below,    // it ends below the lowest: the same
  within,   // everything else
};

WARPMETER_HD inline SpanPlace place_of(const SequenceSpan& span, std::int64_t lowest, std::int64_t highest) {
  if (span.start == highest) return SpanPlace::next;  // nearly every segment
  if (span.start > highest) return SpanPlace::above;
  return span.end < lowest ? SpanPlace::below : SpanPlace::within;
}

}  // namespace warpmeter
