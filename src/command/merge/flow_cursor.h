// Flows in the order of an output, one at a time: from a file, from a run file, or merged of several such.
#pragma once

#include "warpmeter/biflow.h"

namespace warpmeter::inline command {

class FlowCursor {
 public:
  virtual ~FlowCursor() = default;

  // The current flow; null at the end. Valid until advance().
  const Biflow* head() const { return head_; }

  // Moves to the next flow, or to the end. REQUIRES: head() is not null.
  virtual void advance() = 0;

 protected:
  const Biflow* head_ = nullptr;
};

}  // namespace warpmeter::inline command
