#include "flow_run.h"

#include <nanobind/nanobind.h>

#include <chrono>

#include "warpmeter/status.h"

namespace warpmeter::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kBetweenSignals{100};

Options options_of(const std::vector<std::pair<std::string, std::string>>& words) {
  Options options;
  for (const auto& [name, value] : words) options.push_back({name, value});
  return options;
}

void wait_for(Extraction& run) {
  for (bool is_ready = false; !is_ready;) {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    const nb::gil_scoped_release others_go_on;
    is_ready = run.ready(kBetweenSignals);
  }
}

}  // namespace

FlowRun::FlowRun(std::vector<std::string> inputs, const std::vector<std::pair<std::string, std::string>>& options)
    : run_(std::make_shared<Extraction>(std::move(inputs), options_of(options), Delivery::arrow)) {
  ArrowSchema schema{};
  run_->schema(schema);
  schema_ = share(std::move(schema));
}

std::shared_ptr<Extraction> FlowRun::open() const {
  if (!run_) throw Error("the run is closed");
  return run_;
}

Shared<ArrowArray> FlowRun::next() {
  std::shared_ptr<Extraction> run = open();  // another thread may close this one meanwhile
  wait_for(*run);
  ArrowArray array{};
  const nb::gil_scoped_release others_go_on;
  const bool more = run->next(array);
  run.reset();
  return more ? share(std::move(array)) : nullptr;
}

void FlowRun::wait() const { wait_for(*open()); }

bool FlowRun::ready() const { return open()->ready(std::chrono::milliseconds(0)); }

std::string FlowRun::summary() const { return open()->summary(); }

std::vector<std::string> FlowRun::warnings() const { return open()->warnings(); }

void FlowRun::close() {
  std::shared_ptr<Extraction> run = std::move(run_);
  run_ = nullptr;
  if (!run) return;
  const nb::gil_scoped_release others_go_on;
  run->interrupt();
  run.reset();
}

}  // namespace warpmeter::python
