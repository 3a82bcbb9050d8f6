// Numbered pieces of work, done by several threads in any order, whose results are wanted in the order of their
// numbers.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <utility>

namespace warpmeter::inline pipeline {

class Sequencer {
 public:
  // False if it will never come: some thread has failed.
  bool wait_for(std::size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || next_ == number; });
    return !failure_;
  }
  // The turn of whoever had it is over.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ++next_;
    }
    changed_.notify_all();
  }
  // All who wait, and will, are told.
  void fail(std::exception_ptr failure) {
    {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::move(failure);
    }
    changed_.notify_all();
  }
  // REQUIRES: all threads have ended.
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::size_t next_ = 0;
  std::exception_ptr failure_;
};

}  // namespace warpmeter::inline pipeline
