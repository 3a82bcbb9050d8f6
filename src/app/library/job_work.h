// What is behind a Job: a thread, what it gives on its way to whoever takes it, and what there is to say at the end.
//
// Threads: warn(), tell_progress() and the takers by those of the job, the rest as Job has it.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "command/packets/packet_table.h"
#include "command/show/row_output.h"
#include "core/record_layout.h"
#include "core/record_writer.h"
#include "core/thread_annotations.h"
#include "record/arrow/arrow_export.h"
#include "warpmeter/arrow_c_data.h"
#include "warpmeter/biflow.h"
#include "warpmeter/flow_source.h"
#include "warpmeter/job.h"
#include "warpmeter/status.h"

namespace warpmeter {

// An outlet: where a job gives what is no Flow Record.
//
// Threads: any.
class JobOutlet {
 public:
  virtual ~JobOutlet() = default;

  // Whether it has something to give, or gives no more; waits for it at most so long.
  virtual bool ready(std::chrono::milliseconds at_most) = 0;
  // Whether it gives no more.
  virtual bool is_taken() const = 0;
  // What the job has for it is not wanted any more, and whoever waits meets its end.
  virtual void give_up() noexcept = 0;
};

// A clock has no room for more, as for the longest time of all; who waits so long waits for ever.
inline std::chrono::milliseconds bounded(std::chrono::milliseconds at_most) {
  constexpr std::chrono::milliseconds kNoTime{0}, kForEver = std::chrono::hours(24 * 365 * 100);
  return std::clamp(at_most, kNoTime, kForEver);
}

// Flow Records, some at once, between the threads that encode them and the program that takes them: few, so that a run
// goes on only as fast as somebody takes.
//
// Threads: push() and end() by those of the run; the others by the one that takes; give_up() by any.

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

struct JobEnd {
  std::string summary;
  std::string lost = {};  // what an output that somebody wanted did not get, in one line; empty: nothing
};

class JobWork {
 public:
  explicit JobWork(Delivery delivery = Delivery::arrow) : delivery_(delivery) {}
  ~JobWork();

  // Once, before all else but know_columns(): on a thread, which keeps `job`, and with it whatever that needs, until it
  // has returned its end. `outlet`: where it gives what is not Flow Records; null: nowhere.
  void begin(std::function<JobEnd()> job, std::shared_ptr<JobOutlet> outlet = nullptr);

  // For the job.
  const std::atomic<bool>& interrupted() const { return interrupted_; }
  // Nobody has it any more: outputs that nobody reads are not waited for.
  const std::atomic<bool>& is_dropped() const { return dropped_; }
  void warn(const std::string& line);
  void tell_progress(const ReadingProgress& progress);
  // REQUIRES of these two: the columns are known.
  std::unique_ptr<RecordWriter> taker(const RecordLayout& layout);
  std::unique_ptr<RowOutput> row_taker();
  RowsTaker rows_taker();  // which makes them known itself
  void know_columns(std::vector<ArrowField> fields);
  // Throws Error when nobody takes any more.
  void check_wanted() const { queue_.check_wanted(); }

  // For who has it.
  void must_give(Delivery wanted) const;
  std::unique_ptr<TakenRecords> next() { return queue_.pop(); }
  // REQUIRES: there is one.
  JobOutlet& outlet() { return *outlet_; }
  // Waits for the end. Throws what it ended with.
  void wait() { queue_.pop(); }
  void schema(ArrowSchema& to);
  bool ready(std::chrono::milliseconds at_most) { return outlet_ ? outlet_->ready(at_most) : queue_.ready(at_most); }
  void interrupt() noexcept { interrupted_ = true; }
  void give_up() noexcept;
  ReadingProgress progress() const;
  std::string summary() const;
  std::vector<std::string> warnings() const;

 private:
  void must_have_ended() const;
  std::optional<std::vector<ArrowField>> known_columns() const;

  const Delivery delivery_;
  std::atomic<bool> interrupted_ = false, dropped_ = false;
  RecordQueue queue_;
  std::shared_ptr<JobOutlet> outlet_;
  mutable std::mutex mutex_;
  std::optional<std::vector<ArrowField>> fields_ WARPMETER_GUARDED_BY(mutex_);  // once they are known
  ReadingProgress progress_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<std::string> warnings_ WARPMETER_GUARDED_BY(mutex_);  // until the end; then nobody writes to it
  std::string summary_;                                             // the thread sets these two before queue_.end()
  std::exception_ptr failure_;                                      // why there is none, or what was lost
  std::jthread thread_;                                             // the first to go
};

}  // namespace warpmeter
