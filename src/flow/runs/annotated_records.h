// Flow Records with their annotations, at the end of a chain of cursors in which these stand behind them as records of
// their own (annotation_parts.h).
//
// Holds one Flow Record, or biflow, at a time. One thread.
#pragma once

#include <memory>

#include "core/annotations.h"
#include "flow/runs/cursors.h"

namespace warpmeter::inline flow {

class AnnotatedRecords : public RecordCursor {
 public:
  explicit AnnotatedRecords(std::unique_ptr<RecordCursor> records);
  void advance() override;

  // Of the current Flow Record; of a biflow, of both directions. Valid until advance().
  const Annotations& annotations() const { return annotations_; }

 private:
  const std::unique_ptr<RecordCursor> records_;
  FlowRecord record_, other_;
  Annotations annotations_;
};

}  // namespace warpmeter::inline flow
