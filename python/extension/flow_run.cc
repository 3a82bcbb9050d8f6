#include "flow_run.h"

#include <utility>

#include "warpmeter/extraction.h"
#include "warpmeter/flow_report.h"

namespace warpmeter::python {
namespace {

// One that gives nothing has ended then, or throws what it failed with.
bool take_next(Job& job, ArrowArray& to) {
  if (auto* const source = dynamic_cast<FlowSource*>(&job)) return source->next(to);
  static_cast<FlowReport&>(job).wait();
  return false;
}

}  // namespace

// Of an Extraction it is known before anything has been read.
const Shared<ArrowSchema>& FlowRun::schema() {
  if (schema_) return schema_;
  const Held held(*this);
  if (!dynamic_cast<const Extraction*>(&held.job())) wait_for(held.job());
  know_schema(held.job());
  return schema_;
}

void FlowRun::know_schema(const Job& job) {
  const auto* const source = dynamic_cast<const FlowSource*>(&job);
  if (schema_ || !source) return;
  ArrowSchema schema{};
  source->schema(schema);
  schema_ = share(std::move(schema));
}

Shared<ArrowArray> FlowRun::next() {
  const Held held(*this);
  wait_for(held.job());
  Shared<ArrowArray> taken;
  take([&] {
    ArrowArray array{};
    if (take_next(held.job(), array)) taken = share(std::move(array));
  });
  know_schema(held.job());
  return taken;
}

}  // namespace warpmeter::python
