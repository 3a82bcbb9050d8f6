#include "flow_run.h"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "warpmeter/extraction.h"
#include "warpmeter/flow_report.h"
#include "warpmeter/status.h"

namespace warpmeter::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kBetweenSignals{100};

// Another thread may close the run meanwhile. Whoever has it last lets it go without the GIL, which threads of the job
// may need to end.
struct Held {
  ~Held() {
    const nb::gil_scoped_release others_go_on;
    job.reset();
  }
  std::shared_ptr<Job> job;
};

void wait_for(Job& job) {
  for (bool is_ready = false; !is_ready;) {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    const nb::gil_scoped_release others_go_on;
    is_ready = job.ready(kBetweenSignals);
  }
}

// One that gives nothing has ended then, or throws what it failed with.
bool take_next(Job& job, ArrowArray& to) {
  if (auto* const source = dynamic_cast<FlowSource*>(&job)) return source->next(to);
  static_cast<FlowReport&>(job).wait();
  return false;
}

}  // namespace

std::shared_ptr<Job> FlowRun::open() const {
  if (!job_) throw Error("the run is closed");
  if (process_ != getpid()) throw Error("the run is one of the process that this one was forked from");
  return job_;
}

// Of an Extraction it is known before anything has been read.
const Shared<ArrowSchema>& FlowRun::schema() {
  if (schema_) return schema_;
  const Held held{open()};
  if (!dynamic_cast<const Extraction*>(held.job.get())) wait_for(*held.job);
  know_schema(*held.job);
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
  const Held held{open()};
  wait_for(*held.job);
  Shared<ArrowArray> taken;
  {
    const nb::gil_scoped_release others_go_on;
    ArrowArray array{};
    if (take_next(*held.job, array)) taken = share(std::move(array));
  }
  know_schema(*held.job);
  return taken;
}

void FlowRun::wait() const {
  const Held held{open()};
  wait_for(*held.job);
}

bool FlowRun::ready() const { return open()->ready(std::chrono::milliseconds(0)); }

std::string FlowRun::summary() const { return open()->summary(); }

std::vector<std::string> FlowRun::warnings() const { return open()->warnings(); }

void FlowRun::close() {
  std::shared_ptr<Job> job = std::move(job_);
  job_ = nullptr;
  if (!job) return;
  if (process_ != getpid()) {
    new std::shared_ptr<Job>(std::move(job));  // which is never let go: its threads are not here to end
    for (const int file : std::exchange(files_, {})) ::close(file);
    return;
  }
  const nb::gil_scoped_release others_go_on;
  // Of one that is dropped no output appears; one that is interrupted finishes them.
  if (job.use_count() > 1) job->interrupt();
  job.reset();
  for (const int file : std::exchange(files_, {})) ::close(file);
}

}  // namespace warpmeter::python
