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

#include "gil.h"
#include "warpmeter/job.h"

namespace warpmeter::python {

class JobRun {
 public:
  explicit JobRun(std::shared_ptr<Job> job) : open_(std::make_shared<Open>(std::move(job))) {}
  // As close(): threads of the job may need the GIL to end.
  ~JobRun() { close(); }
  JobRun(const JobRun&) = delete;
  JobRun& operator=(const JobRun&) = delete;

  // Until it has something to give, or has ended. Throws nb::python_error if a handler of a signal, called meanwhile,
  // raised an exception; Error if it is closed.
  void wait() const;
  bool ready() const;
  // So long; whether it has. Throws as wait() does.
  bool wait_at_most(unsigned ms) const;

  ReadingProgress progress() const;

  // REQUIRES: it has ended, and all was taken.
  std::string summary() const;
  std::vector<std::string> warnings() const;

  // Takes descriptors that it needs, and closes them when it has ended.
  void own(const std::vector<int>& files);

  // Waits for its threads to end; what waits in another thread throws. Outputs that are not complete do not appear. May
  // be called again.
  void close();

 protected:
  // The job, and what is open for it: closed when it has ended, whoever was the last that had it.
  struct Open {
    explicit Open(std::shared_ptr<Job> of_run) : job(std::move(of_run)) {}
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    std::shared_ptr<Job> job;
    std::vector<int> files;
  };

  // Another thread may close the run meanwhile. Whoever has it last lets it go without the GIL, which threads of the
  // job may need to end.
  class Held {
   public:
    explicit Held(const JobRun& run) : open_(run.open()) {}
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

    Job& job() const { return *open_->job; }

   private:
    std::shared_ptr<Open> open_;
  };

  static void wait_for(Job& job);  // as wait()

  // Takes what is there, without the GIL. Throws what `take` throws, or that it was closed meanwhile.
  template <class Take>
  void take(const Take& take) {
    {
      const WithoutGil others_go_on;
      try {
        take();
      } catch (...) {
        if (!is_closed_) throw;
      }
    }
    throw_if_closed();
  }

 private:
  std::shared_ptr<Open> open() const;
  void throw_if_closed() const;

  std::shared_ptr<Open> open_;  // null when closed
  std::atomic<bool> is_closed_ = false;
  const pid_t process_ = getpid();
};

}  // namespace warpmeter::python
