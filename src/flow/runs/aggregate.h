// --aggregate: all flows of one key over the whole trace as one, as the source paper exports them; and sums of flows
// whose counters may be any.
#pragma once

#include <cstdint>
#include <memory>

#include "flow/runs/annotation_parts.h"
#include "flow/runs/cursors.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline flow {

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
