// The state of one live flow: its layout alone. What happens to it is said in flow_rules.h (its life and what every
// packet counts), judge.h and apply.h (what a TCP segment is and does); what it becomes, in partial_of_state.h.
//
// A FlowState is 192 bytes, three cache lines; a CompactFlowState 160, for tables on the CPU. Nearly all packets touch
// the first half alone: key, life, sequence state and the counters that every packet has. Counters are narrower than in
// the Flow Record: before one can overflow, the meter spills them and begins again from 0. On the CPU that is every
// 65,535 packets or 4 GiB of a flow, where a device could not stop to do it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "warpmeter/flow_counters.h"
#include "warpmeter/flow_key.h"

namespace warpmeter {

enum StateBits : std::uint16_t {
  kInUse = 1,
  kRangeKnown = 2,  // lowest and highest are valid
  kIsn = 4,         // a SYN was seen: `lowest` is its number, the ISN, and its time in mark_ns or connection_ns
  kFinKnown = 8,    // fin is valid, and its time in mark_ns or connection_ns
  kOtherFin = 16,   // a second FIN sequence number was seen
  kFinInPart = 32,  // the first FIN of the incarnation came since the last active timeout
  kHadFinOrRst = 64,
  kFirstOpening = 128,     // the first packet was a SYN without RST and no duplicate
  kCountersSpilled = 256,  // the owner keeps counters of this part that no longer fitted here
  kSynAlone = 2048,        // a SYN without ACK or RST was seen in this incarnation
  // On a device only:
  kOnCpu = 512,      // the CPU has taken the flow over: only key and end_ns are kept here
  kReleased = 1024,  // not in use: it expired, and its key may come again
  // What SYNs and strays ask for:
  kCandidate = 4096,         // a stray's numbers wait to be confirmed (stray.h)
  kAnswered = 8192,          // answer is valid
  kAmbiguous = 16384,        // the SYN was answered once more, with another ISN
  kResetInReach = 1u << 15,  // an RST with a number of this incarnation came
};

enum HistoryBits : std::uint8_t {
  kJumped = 1,         // sequence state started anew: the connection's length is unknown
  kBytesSeen = 2,      // method five-tuple: a payload byte or a FIN was seen
  kBeganAsAnswer = 4,  // the first packet of the incarnation was a SYN+ACK without RST, and no duplicate
};

#define WARPMETER_BYTES(name, ...) Bytes name;
#define WARPMETER_COUNT(name, ...) Count name;
#define WARPMETER_NONE(...)
template <class Count, class Bytes>
struct alignas(8 * sizeof(Bytes)) FlowStateOf {
  FlowKey key;
  std::int64_t start_ns;
  std::int64_t end_ns;
  std::int64_t highest;  // highest sequence end seen, unwrapped

  std::int64_t lowest;
  WARPMETER_FLOW_COUNTERS_KEPT(WARPMETER_BYTES, WARPMETER_NONE, WARPMETER_NONE, WARPMETER_NONE, WARPMETER_NONE)
  WARPMETER_FLOW_COUNTERS_KEPT(WARPMETER_NONE, WARPMETER_COUNT, WARPMETER_NONE, WARPMETER_NONE, WARPMETER_NONE)
  union {
    std::uint32_t holes;  // method exact: the owner's handle; 0 = none
    std::uint32_t block;  // method five-tuple, on a device: memory block of the latest packet
  };
  std::uint16_t bits;  // StateBits
  std::uint8_t tcp_flags;
  std::uint8_t history;  // HistoryBits

  // A compact state may begin in the middle of a cache line; what follows is then in its third one.
  WARPMETER_FLOW_COUNTERS_KEPT(WARPMETER_NONE, WARPMETER_NONE, WARPMETER_BYTES, WARPMETER_NONE, WARPMETER_NONE)
  union {
    std::uint64_t arrival;    // number of the first packet
    std::uint64_t next_free;  // of a state that is not in use, in the owner's list
  };
  WARPMETER_FLOW_COUNTERS_KEPT(WARPMETER_NONE, WARPMETER_NONE, WARPMETER_NONE, WARPMETER_COUNT, WARPMETER_NONE)
  std::uint32_t answer;  // acknowledgement number of the first SYN+ACK
  std::uint32_t strays;  // the owner's handle of a StrayState; 0 = none
  std::int64_t fin;      // unwrapped number of the first FIN
  union {
    std::int64_t mark_ns;        // of kIsn and kFinKnown one: the time of the first SYN or of the first FIN
    std::int64_t connection_ns;  // both: from one to the other
  };
  std::int64_t first_ns;  // time of the first packet in trace order
};
#undef WARPMETER_NONE
#undef WARPMETER_COUNT
#undef WARPMETER_BYTES

using FlowState = FlowStateOf<std::uint32_t, std::uint64_t>;
static_assert(std::is_trivially_copyable_v<FlowState>);

using CompactCount = std::uint16_t;
using CompactBytes = std::uint32_t;
using CompactFlowState = FlowStateOf<CompactCount, CompactBytes>;
static_assert(std::is_trivially_copyable_v<CompactFlowState>);

// At so many packets the counters of a state are full, and are spilled: as many as they hold. Not an option, and asked
// for once a table, not a packet. Tests do not wait for four thousand million packets; they link a lower one in its
// place (tests/support/lower_full_counter.cc). Any thread.
std::uint32_t full_counter();

}  // namespace warpmeter
