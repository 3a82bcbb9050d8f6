// A sorted sequence of partials, one at a time: from memory or from a run file.
#pragma once

#include "warpmeter/flow_record.h"

namespace warpmeter {

class RunCursor {
 public:
  virtual ~RunCursor() = default;

  // The current partial; null at the end. Valid until advance().
  const FlowRecord* head() const { return head_; }

  // The other direction, where the current one is a biflow; else null. Valid until advance().
  const FlowRecord* reverse() const { return reverse_; }

  // Moves to the next partial, or to the end. REQUIRES: head() is not null.
  virtual void advance() = 0;

 protected:
  const FlowRecord* head_ = nullptr;
  const FlowRecord* reverse_ = nullptr;
};

}  // namespace warpmeter
