// One TCP flow fed by hand: every call is a segment that is no duplicate.
#pragma once

#include "core/holes.h"
#include "core/partial_of_state.h"
#include "support/count_segment.h"

namespace warpmeter::test {

// Holes in a plain array, for as many as a test makes.
class ArrayHoles {
 public:
  std::int64_t missing(std::int64_t begin, std::int64_t end) const { return missing_between(view_, begin, end); }
  void fill(std::int64_t begin, std::int64_t end) { fill_holes(view_, begin, end); }
  void add_highest(std::int64_t begin, std::int64_t end) { add_highest_hole(view_, begin, end); }
  void add_lowest(std::int64_t begin, std::int64_t end) { add_lowest_hole(view_, begin, end); }
  std::int64_t total() const { return missing_in_all(view_); }
  void clear() { view_.count = 0; }
  bool any() const { return view_.count > 0; }

 private:
  static constexpr std::uint32_t kMost = 256;
  Hole array_[kMost];
  HoleArray view_{array_, 0, kMost};
};

class TcpFlow {
 public:
  TcpFlow() { start_flow(state, {0, 0, false}, 1); }

  TcpFlow& data(std::uint32_t sequence, std::uint32_t length) { return segment(0, sequence, length); }
  TcpFlow& ack(std::uint32_t sequence) { return segment(0, sequence, 0); }
  TcpFlow& syn(std::uint32_t sequence, std::uint32_t length = 0) { return segment(kSyn, sequence, length); }
  TcpFlow& fin(std::uint32_t sequence, std::uint32_t length = 0) { return segment(kFin, sequence, length); }
  TcpFlow& rst(std::uint32_t sequence, std::uint32_t length = 0) { return segment(kRst, sequence, length); }

  TcpFlow& segment(std::uint8_t flags, std::uint32_t sequence, std::uint32_t length) {
    Segment s;
    s.time_ns = time_ns;
    s.kind = kTcpSegment;
    s.flags = flags;
    s.window = window;
    s.sequence = sequence;
    s.payload_length = length;
    s.identity_a = std::uint64_t{acknowledged} << 32;
    count_tcp_segment(state, s, holes, stray);
    state.holes = holes.any();
    return *this;
  }

  TcpFlow& at(std::int64_t ns) {
    time_ns = ns;
    return *this;
  }

  // What the active timeout does: a new part that keeps the sequence state.
  TcpFlow& cut() {
    start_part(state, {time_ns, 0, false}, 2);
    stray.segments = 0;
    return *this;
  }

  std::int64_t missing() const { return holes.total() + stray.missing_before; }
  Partial record() const { return partial_of(state, EndReason::forced, Removal::none, {missing(), stray.segments}); }

  FlowState state{};
  ArrayHoles holes;
  StrayState stray{};
  std::int64_t time_ns = 0;
  std::uint16_t window = 512;
  std::uint32_t acknowledged = 0;
};

}  // namespace warpmeter::test
