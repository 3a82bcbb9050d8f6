// --aggregate: all flows of one key over the whole trace as one, as the source paper exports them.
#pragma once

#include <memory>

#include "flow/runs/record_cursor.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline flow {

class Aggregate : public RecordCursor {
 public:
  // `flows`: whole Flow Records in output order.
  explicit Aggregate(std::unique_ptr<RecordCursor> flows);
  void advance() override;

 private:
  const std::unique_ptr<RecordCursor> flows_;
  FlowRecord sum_;
};

}  // namespace warpmeter::inline flow
