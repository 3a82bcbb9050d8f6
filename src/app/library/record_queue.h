// Flow Records, some at once, between the threads that encode them and the program that takes them: few, so that a run
// goes on only as fast as somebody takes.
//
// Threads: push() and end() by those of the run; the others by the one that takes; give_up() by any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "app/library/job_outlet.h"
#include "core/thread_annotations.h"
#include "warpmeter/arrow_c_data.h"
#include "warpmeter/biflow.h"
#include "warpmeter/status.h"

namespace warpmeter {

// Flow Records as the program that takes them gets them.
struct ReleaseArray {
  void operator()(ArrowArray* array) const {
    if (array->release) array->release(array);
    delete array;
  }
};

// One of both.
struct TakenRecords {
  std::vector<Biflow> flows;
  std::unique_ptr<ArrowArray, ReleaseArray> array;
};

class RecordQueue {
 public:
  // Waits while it is full. Throws Error when nobody takes any more.
  void push(std::unique_ptr<TakenRecords> part) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return given_up_ || parts_.size() < kMost; });
    throw_if_given_up();
    parts_.push_back(std::move(part));
    changed_.notify_all();
  }

  // Throws Error when nobody takes any more.
  void check_wanted() const {
    const std::lock_guard lock(mutex_);
    throw_if_given_up();
  }

  // The last one. `failure`: why the run could not be finished, or null.
  void end(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    failure_ = std::move(failure);
    changed_.notify_all();
  }

  // Null at the end; throws, then and whenever it is asked again, the failure.
  std::unique_ptr<TakenRecords> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_ready(); });
    if (parts_.empty()) {
      if (failure_) std::rethrow_exception(failure_);
      return nullptr;
    }
    std::unique_ptr<TakenRecords> part = std::move(parts_.front());
    parts_.pop_front();
    changed_.notify_all();
    return part;
  }

  // Whether pop() would return now.
  bool ready(std::chrono::milliseconds at_most) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, bounded(at_most), [this] { return is_ready(); });
  }

  bool has_ended() const {
    const std::lock_guard lock(mutex_);
    return ended_ && parts_.empty();
  }

  void give_up() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    changed_.notify_all();
  }

 private:
  static constexpr std::size_t kMost = 8;

  // REQUIRES, of both: mutex_ is held.
  void throw_if_given_up() const {
    if (given_up_) throw Error("nobody takes the Flow Records");
  }
  bool is_ready() const { return ended_ || !parts_.empty(); }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<TakenRecords>> parts_ WARPMETER_GUARDED_BY(mutex_);
  std::exception_ptr failure_ WARPMETER_GUARDED_BY(mutex_);
  bool ended_ WARPMETER_GUARDED_BY(mutex_) = false, given_up_ WARPMETER_GUARDED_BY(mutex_) = false;
};

}  // namespace warpmeter
