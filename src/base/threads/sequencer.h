// Numbered pieces of work, done by several threads in any order, whose results are wanted in the order of their
// numbers.
//
// Threads: any.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

#include "core/thread_annotations.h"

namespace warpmeter::inline base {

class Sequencer {
 public:
  // False if it will never come: some thread has failed.
  bool wait_for(std::size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || next_ == number; });
    return !failed_;
  }
  // The turn of whoever had it is over.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ++next_;
    }
    changed_.notify_all();
  }
  // wait_for() returns false from then on, also where it waits already.
  void fail() {
    {
      const std::lock_guard lock(mutex_);
      failed_ = true;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t next_ WARPMETER_GUARDED_BY(mutex_) = 0;
  bool failed_ WARPMETER_GUARDED_BY(mutex_) = false;
};

}  // namespace warpmeter::inline base
