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
  const Origin origin = origin_of(f);
  partial.isn = origin.isn;
  partial.lowest = origin.lowest;
  partial.answer = origin.answer;
  partial.flags =
      static_cast<std::uint8_t>((f.bits & kSynAlone ? kOpener : 0) | (f.history & kBeganAsAnswer ? kAnswerer : 0));
  partial.part = static_cast<std::uint16_t>(
      (origin.closing ? kClosing : 0) | (origin.isn_known ? kIsnKnown : 0) | (origin.lowest_known ? kLowestKnown : 0) |
      (f.bits & kFirstOpening ? kFirstIsOpening : 0) | (origin.answered ? kAnswerKnown : 0) |
      (origin.ambiguous ? kAnsweredTwice : 0) | (origin.ended ? kEndSeen : 0));
  set_connection(partial, f);
  return partial;
}

}  // namespace warpmeter
