// A job of the library as Python has it: its waits let other threads of Python go on, and end for a signal. In a
// process that is forked from its own it gives Errors.
//
// Threads: any that holds the GIL; one at a time takes.
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "shared_arrow.h"
#include "warpmeter/flow_source.h"

namespace warpmeter::python {

class FlowRun {
 public:
  // A FlowSource that gives Arrow arrays, or a FlowReport, which gives none.
  explicit FlowRun(std::shared_ptr<Job> job) : open_(std::make_shared<Open>(std::move(job))) {}
  // As close(): threads of the job may need the GIL to end.
  ~FlowRun() { close(); }
  FlowRun(const FlowRun&) = delete;
  FlowRun& operator=(const FlowRun&) = delete;

  // Null at the end. Throws nb::python_error if a handler of a signal, called meanwhile, raised an exception.
  Shared<ArrowArray> next();
  // Until next() would return. Throws like it.
  void wait() const;
  bool ready() const;
  // Waits for it, of what has to read first; it is there when next() has returned. Throws like next(). REQUIRES: a
  // source.
  const Shared<ArrowSchema>& schema();

  // REQUIRES: next() has given null.
  std::string summary() const;
  std::vector<std::string> warnings() const;

  // Takes descriptors that it needs, and closes them when it has ended.
  void own(const std::vector<int>& files);

  // Waits for its threads to end; a next() that waits in another thread throws. Outputs that are not complete do not
  // appear. May be called again.
  void close();

 private:
  // The job, and what is open for it: closed when it has ended, whoever was the last that had it.
  struct Open {
    explicit Open(std::shared_ptr<Job> of_run) : job(std::move(of_run)) {}
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    std::shared_ptr<Job> job;
    std::vector<int> files;
  };
  class Held;

  std::shared_ptr<Open> open() const;
  void know_schema(const Job& job);  // which next() would not wait for

  std::shared_ptr<Open> open_;  // null when closed
  std::atomic<bool> is_closed_ = false;
  Shared<ArrowSchema> schema_;  // once it was asked for
  const pid_t process_ = getpid();
};

}  // namespace warpmeter::python
