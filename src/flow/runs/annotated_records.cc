#include "flow/runs/annotated_records.h"

#include <utility>

#include "flow/runs/annotation_parts.h"

namespace warpmeter::inline flow {

AnnotatedRecords::AnnotatedRecords(std::unique_ptr<RecordCursor> records) : records_(std::move(records)) { advance(); }

void AnnotatedRecords::advance() {
  head_ = reverse_ = nullptr;
  annotations_.clear();
  if (!records_->head()) return;
  record_ = *records_->head();
  head_ = &record_;
  if (records_->reverse()) {
    other_ = *records_->reverse();
    reverse_ = &other_;
  }
  for (records_->advance(); records_->head() && is_annotation(*records_->head()); records_->advance()) {
    add_part(annotations_, *records_->head());
  }
}

}  // namespace warpmeter::inline flow
