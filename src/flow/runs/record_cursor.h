// A sorted sequence of Flow Records, one at a time.
#pragma once

#include "warpmeter/flow_record.h"

namespace warpmeter::inline flow {

class RecordCursor {
 public:
  virtual ~RecordCursor() = default;

  // The current Flow Record; null at the end. Valid until advance().
  const FlowRecord* head() const { return head_; }

  // The other direction, where the current one is a biflow; else null. Valid until advance().
  const FlowRecord* reverse() const { return reverse_; }

  // Moves to the next, or to the end. REQUIRES: head() is not null.
  virtual void advance() = 0;

 protected:
  const FlowRecord* head_ = nullptr;
  const FlowRecord* reverse_ = nullptr;
};

}  // namespace warpmeter::inline flow
