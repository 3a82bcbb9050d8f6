// A partial: what the Metering Process has of a flow when it ends the flow's state. It becomes a Flow Record when it is
// joined with the other partials of its flow (flow/runs/join.h); what only the join needs stands here and in no Flow
// Record. 240 bytes, trivially copyable; run files hold it as it is (docs/run-files.md).
#pragma once

#include <cstdint>
#include <type_traits>

#include "warpmeter/flow_record.h"

namespace warpmeter {

// How a partial's flow left the meter, where the flow may go on among the other partials of its key.
enum class Removal : std::uint8_t {
  none = 0,     // it did not: the flow ended, or its active timeout passed
  expired = 1,  // longer idle than the idle timeout; only time running back can continue it
  evicted = 2,  // no room left for its state
};

// Those that the flow state has too are the same bits there (partial_of_state.h).
enum PartialFlags : std::uint16_t {
  kLowestKnown = 2,
  kIsnKnown = 4,
  kLostState = 16,         // joined from parts between which the sequence state was lost
  kClosing = 64,           // had FIN or RST, in this part or what it took over
  kFirstIsOpening = 128,   // the first packet was a SYN without RST and no duplicate
  kAnswerKnown = 8192,     // answer is valid
  kAnsweredTwice = 16384,  // by SYN+ACKs with different ISNs
  kEndSeen = 32768,        // a FIN that is no stray came, or an RST with a number of the incarnation
};

struct Partial : FlowRecord {
  std::uint32_t isn = 0;     // if kIsnKnown
  std::uint32_t lowest = 0;  // sequence number, if kLowestKnown
  std::uint32_t answer = 0;  // acknowledgement number of the first SYN+ACK, if kAnswerKnown
  Removal removal = Removal::none;
  std::uint8_t unused = 0;
  std::uint16_t part = 0;  // PartialFlags
};
static_assert(sizeof(Partial) == 112 + 8 * kFlowCounters && std::is_trivially_copyable_v<Partial>);

// One that is a whole flow, and needs no join.
inline Partial whole(const FlowRecord& record) { return {record, 0, 0, 0, Removal::none, 0, 0}; }

}  // namespace warpmeter
