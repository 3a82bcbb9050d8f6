// A sorted sequence of partials, one at a time: from memory or from a run file.
#pragma once

#include "core/partial.h"

namespace warpmeter::inline flow {

class PartialCursor {
 public:
  virtual ~PartialCursor() = default;

  // The current partial; null at the end. Valid until advance().
  const Partial* head() const { return head_; }

  // Moves to the next partial, or to the end. REQUIRES: head() is not null.
  virtual void advance() = 0;

 protected:
  const Partial* head_ = nullptr;
};

}  // namespace warpmeter::inline flow
