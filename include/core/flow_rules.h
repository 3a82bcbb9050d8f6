// What any packet does to the state of its flow: where a flow or a part of it begins and ends, and what is counted of
// every packet (docs/definitions.md). TCP segments have judge.h and apply.h besides.
//
// Small host + device functions, the one place where the counters are right or wrong. The backends differ only in how
// they bring segments here.
#pragma once

#include <cstdint>
#include <limits>

#include "core/flow_boundary.h"
#include "core/flow_state.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"
#include "warpmeter/flow_counters.h"

namespace warpmeter {

template <class Counter>
WARPMETER_HD void add_to(Counter& counter, std::uint64_t more) {
  counter = static_cast<Counter>(counter + more);
}

template <class State>
WARPMETER_HD Origin origin_of(const State& f) {
  const std::uint32_t lowest = on_wire(f.lowest);
  return {.isn = lowest,
          .lowest = lowest,
          .answer = f.answer,
          .isn_known = (f.bits & kIsn) != 0,
          .lowest_known = (f.bits & kRangeKnown) != 0,
          .answered = (f.bits & kAnswered) != 0,
          .ambiguous = (f.bits & kAmbiguous) != 0,
          .closing = (f.bits & kHadFinOrRst) != 0,
          .ended = (f.bits & (kFinKnown | kResetInReach)) != 0};
}

WARPMETER_HD inline NextPacket next_packet(const Segment& s, bool duplicate) {
  return {s.time_ns, s.sequence, !duplicate && is_opening(s), (s.flags & kAck) != 0, acknowledgement(s)};
}

template <class State>
WARPMETER_HD Boundary boundary_before(const State& f, const NextPacket& next, const Timeouts& timeouts) {
  // Only an opening asks for the origin, which lies among what is seldom touched.
  return boundary_before(f.start_ns, f.end_ns, next.opening ? origin_of(f) : Origin{}, next, timeouts);
}

template <class State>
WARPMETER_HD void zero_counters(State& f) {
#define WARPMETER_ZERO(name, ...) f.name = 0;
  WARPMETER_FLOW_COUNTERS_KEPT(WARPMETER_ZERO, WARPMETER_ZERO, WARPMETER_ZERO, WARPMETER_ZERO, WARPMETER_NO_COUNTER)
#undef WARPMETER_ZERO
  f.tcp_flags = 0;
}

// The state now describes a part that begins with packet `number` and has counted nothing yet; sequence state stays.
template <class State>
WARPMETER_HD void start_part(State& f, const NextPacket& first, std::uint64_t number) {
  f.start_ns = f.end_ns = f.first_ns = first.time_ns;
  f.arrival = number;
  zero_counters(f);
  f.bits &= static_cast<std::uint16_t>(~(kFinInPart | kFirstOpening | kCountersSpilled));
  if (first.opening) f.bits |= kFirstOpening;
}

// What arrival a part has that begins with packet `number`, behind that of `f`, another of its key. All packets of a
// frame have one number, but parts are told apart, and ordered, by arrival.
template <class State>
WARPMETER_HD std::uint64_t arrival_behind(const State& f, std::uint64_t number) {
  return f.arrival < number ? number : f.arrival + 1;
}

// A new flow with fresh sequence state. The caller owns `key` and has no holes and strays stored for it.
template <class State>
WARPMETER_HD void start_flow(State& f, const NextPacket& first, std::uint64_t number) {
  f.bits = kInUse;
  f.holes = 0;
  f.highest = f.lowest = f.fin = f.connection_ns = 0;
  f.answer = f.strays = 0;
  f.history = first.opening && first.acknowledges ? kBeganAsAnswer : 0;
  start_part(f, first, number);
}

// All of `from` but holes, strays and counters, which begin at 0.
template <class State, class OtherState>
void take_over(State& f, const OtherState& from) {
  f.key = from.key;
  f.start_ns = from.start_ns;
  f.end_ns = from.end_ns;
  f.arrival = from.arrival;
  f.first_ns = from.first_ns;
  f.highest = from.highest;
  f.lowest = from.lowest;
  f.answer = from.answer;
  f.fin = from.fin;
  f.connection_ns = from.connection_ns;
  f.bits = from.bits;
  f.history = from.history;
  f.holes = 0;
  f.strays = 0;
  zero_counters(f);
}

// REQUIRES: all of them fit.
template <class State, class OtherState>
void take_over_counters(State& f, const OtherState& from) {
#define WARPMETER_TAKE(name, ...) add_to(f.name, from.name);
  WARPMETER_FLOW_COUNTERS_KEPT(WARPMETER_TAKE, WARPMETER_TAKE, WARPMETER_TAKE, WARPMETER_TAKE, WARPMETER_NO_COUNTER)
#undef WARPMETER_TAKE
  f.tcp_flags |= from.tcp_flags;
}

template <class State>
WARPMETER_HD void count_packet(State& f, const Segment& s) {
  if (s.time_ns < f.start_ns) f.start_ns = s.time_ns;
  if (s.time_ns > f.end_ns) f.end_ns = s.time_ns;
  ++f.packets;
  add_to(f.bytes, s.length);
}

template <class State>
WARPMETER_HD void count_duplicate(State& f, const Segment& s) {
  ++f.duplicate_packets;
  add_to(f.duplicate_bytes, s.length);
}

// Could a counter of the state overflow with this packet? No sum of bytes is larger than that of IP lengths.
template <class Count, class Bytes>
WARPMETER_HD bool is_full(const FlowStateOf<Count, Bytes>& f, const Segment& next, std::uint32_t full_counter) {
  return f.packets >= full_counter || f.bytes > std::numeric_limits<Bytes>::max() - next.length;
}

}  // namespace warpmeter
