// Flow Records made of Flow Records: the sum of a key's flows (--aggregate), and Biflows (--biflow).
#pragma once

#include <cstdint>
#include <memory>

#include "flow/runs/annotation_parts.h"
#include "flow/runs/cursors.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline flow {

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

// --aggregate: all flows of one key over the whole trace as one, as the source paper exports them; and sums of flows
// whose counters may be any.
class Aggregate : public RecordCursor {
 public:
  // `flows`: whole Flow Records in output order, with their annotations behind them, as they stand here then.
  explicit Aggregate(std::unique_ptr<RecordCursor> flows);
  void advance() override;

 private:
  const std::unique_ptr<RecordCursor> flows_;
  FlowRecord sum_;
  PartsBehind annotations_;  // of all flows in it
};

// As add_counters(), of counters that come out of files, which may hold any numbers: a sum that has no room stays at
// the largest that a column can show. Any thread.
inline void add_saturated(FlowRecord& sum, const FlowRecord& other) {
  add_counters(sum, other);
#define WARPMETER_SATURATE(name, ...) \
  if (sum.name < other.name || sum.name > INT64_MAX) sum.name = INT64_MAX;
  WARPMETER_FLOW_COUNTERS(WARPMETER_SATURATE)
#undef WARPMETER_SATURATE
}

}  // namespace warpmeter::inline flow
