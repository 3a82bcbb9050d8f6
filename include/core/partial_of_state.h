// The partial that a flow state becomes when its flow, or a part of it, ends.
#pragma once

#include <cstdint>

#include "core/flow_rules.h"
#include "core/partial.h"
#include "warpmeter/flow_counters.h"

namespace warpmeter {

// connection_bytes and connection_ns, in the part in which the first FIN came, once that part has ended.
template <class State>
WARPMETER_HD void set_connection(FlowRecord& record, const State& f) {
  constexpr std::uint16_t kNeeded = kIsn | kFinKnown | kFinInPart;
  const std::int64_t bytes = f.fin - f.lowest - 1;  // `lowest` is the ISN
  if ((f.bits & (kNeeded | kOtherFin)) != kNeeded || f.history & kJumped || bytes < 0) return;
  record.connection_bytes = bytes;
  record.connection_ns = f.connection_ns;
  record.flags |= kHasConnection;
}

// What a partial says of the state, as the bits that the state has.
template <class State>
WARPMETER_HD std::uint8_t record_flags(const State& f) {
  static_assert(kSynAlone >> 10 == kOpener && std::uint8_t{kBeganAsAnswer} == std::uint8_t{kAnswerer});
  return static_cast<std::uint8_t>((f.bits >> 10 & kOpener) | (f.history & kAnswerer));
}

template <class State>
WARPMETER_HD std::uint16_t part_flags(const State& f) {
  constexpr std::uint16_t kSame =
      kRangeKnown | kIsn | kHadFinOrRst | kFirstOpening | kAnswered | kAmbiguous | kResetInReach;
  static_assert(kSame ==
                (kLowestKnown | kIsnKnown | kClosing | kFirstIsOpening | kAnswerKnown | kAnsweredTwice | kEndSeen));
  static_assert(kFinKnown << 12 == kEndSeen);
  return static_cast<std::uint16_t>((f.bits & kSame) | (f.bits & kFinKnown) << 12);
}

// Counters that are kept beside the state. `missing` is 0 where the holes are handed on.
struct KeptBeside {
  std::int64_t missing = 0;
  std::uint64_t strays = 0;
};

// The partial of a flow (or part of it) that ends here.
template <class State>
WARPMETER_HD Partial partial_of(const State& f, EndReason reason, Removal removal, const KeptBeside& beside) {
  Partial partial;
  partial.key = f.key;
  partial.start_ns = f.start_ns;
  partial.end_ns = f.end_ns;
  partial.arrival = f.arrival;
  partial.first_ns = f.first_ns;
#define WARPMETER_GET(name, ...) partial.name = f.name;
#define WARPMETER_MISSING(name, ...) partial.name = static_cast<std::uint64_t>(beside.missing);
#define WARPMETER_STRAYS(name, ...) partial.name = beside.strays;
  WARPMETER_FLOW_COUNTERS_KEPT(WARPMETER_GET, WARPMETER_GET, WARPMETER_GET, WARPMETER_GET, WARPMETER_MISSING)
  WARPMETER_LATER_COUNTERS(WARPMETER_STRAYS)
#undef WARPMETER_STRAYS
#undef WARPMETER_MISSING
#undef WARPMETER_GET
  partial.tcp_flags = f.tcp_flags;
  partial.end_reason = with_closing(reason, f.bits & kHadFinOrRst);
  partial.removal = removal;
  partial.isn = partial.lowest = on_wire(f.lowest);
  partial.answer = f.answer;
  partial.flags = record_flags(f);
  partial.part = part_flags(f);
  set_connection(partial, f);
  return partial;
}

}  // namespace warpmeter
