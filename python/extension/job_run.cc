#include "job_run.h"

#include <nanobind/nanobind.h>

#include <chrono>

#include "warpmeter/status.h"

namespace warpmeter::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kBetweenSignals{100};
constexpr const char* kClosed = "the run is closed";

}  // namespace

JobRun::Open::~Open() {
  job.reset();
  for (const int file : files) ::close(file);
}

JobRun::Held::~Held() {
  const WithoutGil others_go_on;
  open_.reset();
}

void JobRun::wait_for(Job& job) {
  for (bool is_ready = false; !is_ready;) {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    const WithoutGil others_go_on;
    is_ready = job.ready(kBetweenSignals);
  }
}

std::shared_ptr<JobRun::Open> JobRun::open() const {
  if (!open_) throw Error(kClosed);
  if (process_ != getpid()) throw Error("the run is one of the process that this one was forked from");
  return open_;
}

void JobRun::throw_if_closed() const {
  if (is_closed_) throw Error(kClosed);
}

void JobRun::own(const std::vector<int>& files) {
  if (open_) open_->files.insert(open_->files.end(), files.begin(), files.end());
  else
    for (const int file : files) ::close(file);
}

void JobRun::wait() const {
  const Held held(*this);
  wait_for(held.job());
}

bool JobRun::wait_at_most(unsigned ms) const {
  const Held held(*this);
  if (PyErr_CheckSignals() != 0) nb::raise_python_error();
  const WithoutGil others_go_on;
  return held.job().ready(std::chrono::milliseconds(ms));
}

ReadingProgress JobRun::progress() const { return open()->job->progress(); }

bool JobRun::ready() const { return open()->job->ready(std::chrono::milliseconds(0)); }

std::string JobRun::summary() const { return open()->job->summary(); }

std::vector<std::string> JobRun::warnings() const { return open()->job->warnings(); }

void JobRun::close() {
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
