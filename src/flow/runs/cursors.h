// Sorted sequences, one at a time: of partials, from memory or from run files; of Flow Records, made of these.
#pragma once

#include "core/partial.h"
#include "warpmeter/flow_record.h"

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
