// --biflow: the two directions of a conversation as one (RFC 5103).
//
// A flow is paired with the flow of the other direction that begins next, if that begins before this one's end or at
// most `longest_gap_ns` behind it, and no other flow of its own direction begins in between. The forward direction is
// the initiator's: the one that sent a SYN without ACK, where exactly one did; else, where the first packet was a
// SYN+ACK, its receiver; else the receiver of an answer of ICMP; else the sender of the first packet.
//
// The annotations of both directions stand behind a biflow, in the order of packets.
//
// Holds two flows at a time.
#pragma once

#include <cstdint>
#include <memory>

#include "flow/runs/annotation_parts.h"
#include "flow/runs/cursors.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline flow {

class Biflows : public RecordCursor {
 public:
  // `flows`: whole Flow Records, those of an undirected key together (biflow_output_order, or one of each direction),
  // each with its annotations behind it. `longest_gap_ns` 0: any.
  Biflows(std::unique_ptr<RecordCursor> flows, std::int64_t longest_gap_ns);
  void advance() override;

 private:
  bool answers(const FlowRecord& first, const FlowRecord& next) const;

  const std::unique_ptr<RecordCursor> flows_;
  const std::int64_t longest_gap_ns_;
  FlowRecord forward_, backward_;
  PartsBehind annotations_;  // of both
};

}  // namespace warpmeter::inline flow
