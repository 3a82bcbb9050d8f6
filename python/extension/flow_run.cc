#include "flow_run.h"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <chrono>
#include <utility>

#include "gil.h"
#include "warpmeter/extraction.h"
#include "warpmeter/flow_report.h"
#include "warpmeter/status.h"

namespace warpmeter::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kBetweenSignals{100};
constexpr const char* kClosed = "the run is closed";

void wait_for(Job& job) {
  for (bool is_ready = false; !is_ready;) {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    const WithoutGil others_go_on;
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

FlowRun::Open::~Open() {
  job.reset();
  for (const int file : files) ::close(file);
}

// Another thread may close the run meanwhile. Whoever has it last lets it go without the GIL, which threads of the job
// may need to end.
class FlowRun::Held {
 public:
  explicit Held(const FlowRun& run) : open_(run.open()) {}
  ~Held() {
    const WithoutGil others_go_on;
    open_.reset();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  Job& job() const { return *open_->job; }

 private:
  std::shared_ptr<Open> open_;
};

std::shared_ptr<FlowRun::Open> FlowRun::open() const {
  if (!open_) throw Error(kClosed);
  if (process_ != getpid()) throw Error("the run is one of the process that this one was forked from");
  return open_;
}

void FlowRun::own(const std::vector<int>& files) {
  if (open_) open_->files.insert(open_->files.end(), files.begin(), files.end());
  else
    for (const int file : files) ::close(file);
}

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
  {
    const WithoutGil others_go_on;
    ArrowArray array{};
    try {
      if (take_next(held.job(), array)) taken = share(std::move(array));
    } catch (...) {
      if (!is_closed_) throw;
    }
  }
  if (is_closed_) throw Error(kClosed);
  know_schema(held.job());
  return taken;
}

void FlowRun::wait() const {
  const Held held(*this);
  wait_for(held.job());
}

bool FlowRun::ready() const { return open()->job->ready(std::chrono::milliseconds(0)); }

std::string FlowRun::summary() const { return open()->job->summary(); }

std::vector<std::string> FlowRun::warnings() const { return open()->job->warnings(); }

void FlowRun::close() {
  is_closed_ = true;
  std::shared_ptr<Open> run = std::move(open_);
  open_ = nullptr;
  if (!run) return;
  if (process_ != getpid()) {
    for (const int file : std::exchange(run->files, {})) ::close(file);
    new std::shared_ptr<Open>(std::move(run));  // which is never let go: its threads are not here to end
    return;
  }
  const WithoutGil others_go_on;
  if (run.use_count() > 1) run->job->give_up();
  run.reset();
}

}  // namespace warpmeter::python
