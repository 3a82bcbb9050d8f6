// Where one flow ends and the next one with the same Flow Key begins (docs/definitions.md). The meter asks before every
// packet; the join asks again for flows that expired or were evicted.
#pragma once

#include <cstdint>

#include "core/sequence_numbers.h"
#include "warpmeter/end_reason.h"
#include "warpmeter/hd.h"

namespace warpmeter {

struct Timeouts {
  std::int64_t idle_ns = 300'000'000'000;      // 0 = never
  std::int64_t active_ns = 1'800'000'000'000;  // 0 = never
};

enum class Boundary : std::uint8_t {
  none,
  idle,
  incarnation,
  active,
  opening,  // the first packet of its Flow Key: no flow ends
};

// What tells a repeated SYN from that of another connection.
struct Origin {
  std::uint32_t isn = 0;     // valid if isn_known
  std::uint32_t lowest = 0;  // lowest sequence number seen; valid if lowest_known
  std::uint32_t answer = 0;  // acknowledgement number of the first SYN+ACK; valid if answered
  bool isn_known = false;
  bool lowest_known = false;
  bool answered = false;
  bool ambiguous = false;  // it was answered once more, with another ISN
  bool closing = false;    // had FIN or RST
  bool ended = false;      // a FIN that is no stray came, or an RST with a number of the incarnation
};

// The next packet of a flow: its time and, if it is a SYN that may open an incarnation, its numbers.
struct NextPacket {
  std::int64_t time_ns;
  std::uint32_t sequence;
  bool opening;               // a SYN without RST that is no duplicate
  bool acknowledges = false;  // with ACK
  std::uint32_t acknowledgement = 0;
};

enum class SynKind : std::uint8_t {
  other,          // of another incarnation
  own,            // the flow's own, once more or late
  second_answer,  // to the same SYN, with another ISN: load balancers, SYN cookies
};

// A SYN that is older than the flow may be so far below what was seen; any other is right below it.
inline constexpr std::uint32_t kEarliestSyn = 1u << 26;

// `earliest`: the SYN is older than every packet of the flow (it came over another ring).
WARPMETER_HD inline SynKind judge_syn(const Origin& origin, const NextPacket& syn, bool earliest) {
  if (origin.isn_known) {
    if (syn.sequence == origin.isn) return origin.ended ? SynKind::other : SynKind::own;
  } else if (origin.lowest_known && origin.lowest - syn.sequence - 1 <= (earliest ? kEarliestSyn : 0)) {
    return SynKind::own;
  }
  const bool answers = origin.answered && syn.acknowledges && syn.acknowledgement == origin.answer;
  return answers && (origin.ambiguous || !origin.closing) ? SynKind::second_answer : SynKind::other;
}

WARPMETER_HD inline Boundary boundary_before(std::int64_t start_ns, std::int64_t end_ns, const Origin& origin,
                                             const NextPacket& next, const Timeouts& timeouts) {
  if (timeouts.idle_ns && next.time_ns - end_ns > timeouts.idle_ns) return Boundary::idle;
  if (next.opening && judge_syn(origin, next, next.time_ns < start_ns) == SynKind::other) return Boundary::incarnation;
  if (timeouts.active_ns && next.time_ns >= start_ns + timeouts.active_ns) return Boundary::active;
  return Boundary::none;
}

// Does the packet behind it open a flow, with fresh sequence state?
WARPMETER_HD inline bool opens_flow(Boundary boundary) {
  return boundary != Boundary::none && boundary != Boundary::active;
}

WARPMETER_HD inline EndReason end_reason_of(Boundary boundary) {
  if (boundary == Boundary::idle) return EndReason::idle;
  return boundary == Boundary::active ? EndReason::active : EndReason::end_of_flow;
}

// A flow that had FIN or RST did not merely fall silent.
WARPMETER_HD inline EndReason with_closing(EndReason reason, bool closing) {
  const bool silent = reason == EndReason::idle || reason == EndReason::forced;
  return silent && closing ? EndReason::end_of_flow : reason;
}

}  // namespace warpmeter
