// A run that gives Flow Records to Python, as Arrow arrays, or that writes a page of them and gives none.
//
// Threads: as JobRun.
#pragma once

#include <memory>

#include "job_run.h"
#include "shared_arrow.h"
#include "warpmeter/flow_source.h"

namespace warpmeter::python {

class FlowRun : public JobRun {
 public:
  // A FlowSource that gives Arrow arrays, or a FlowReport, which gives none.
  using JobRun::JobRun;

  // Null at the end. Throws as wait() does, and what the job failed with.
  Shared<ArrowArray> next();
  // Waits for it, of what has to read first; it is there when next() has returned. Throws like next(). REQUIRES: a
  // source.
  const Shared<ArrowSchema>& schema();

 private:
  void know_schema(const Job& job);  // which next() would not wait for

  Shared<ArrowSchema> schema_;  // once it was asked for
};

}  // namespace warpmeter::python
