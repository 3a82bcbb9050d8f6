// What is behind a Job: a thread, what it gives on its way to whoever takes it, and what there is to say at the end.
//
// Threads: warn() and the takers by those of the job, the rest as Job has it.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/library/job_outlet.h"
#include "app/library/record_queue.h"
#include "command/show/row_output.h"
#include "core/record_layout.h"
#include "core/record_writer.h"
#include "core/thread_annotations.h"
#include "record/arrow/arrow_export.h"
#include "warpmeter/flow_source.h"

namespace warpmeter {

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
  // REQUIRES of both: the columns are known.
  std::unique_ptr<RecordWriter> taker(const RecordLayout& layout);
  std::unique_ptr<RowOutput> row_taker();
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
  std::vector<std::string> warnings_ WARPMETER_GUARDED_BY(mutex_);  // until the end; then nobody writes to it
  std::string summary_;                                             // the thread sets these two before queue_.end()
  std::exception_ptr failure_;                                      // why there is none, or what was lost
  std::jthread thread_;                                             // the first to go
};

}  // namespace warpmeter
