// Who does what next, where batches are made beside each other and wanted in order.
//
// Batches are numbered from 0. Every worker asks for a task, and tells with the next question that it is done: to read
// a batch (claim what comes next, and make a batch of it), to commit one (make sure of it; one at a time, in order), or
// to consume batches that are finished. A consumer, of which there may be many, sees each batch once and in order, and
// is one thread at a time. Where workers have no consumers, a thread outside consumes: wait_for(), release().
//
// There are no fixed roles because the load is not fixed either: reading is most of the work for long frames, metering
// for short ones. But a worker has consumers of its own, whose memory stays in its core's cache; others' it takes only
// when it would have to wait. Batches in flight are bounded by the slots: who gets ahead, consumes.
//
// The one lock is taken a few times a batch, never for a packet (bench/scheduler.cc). Whoever leaves it wakes one that
// waits, and only if something is left to do for it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

#include "core/thread_annotations.h"

namespace warpmeter::inline pipeline {

struct Task {
  enum class Kind { none, read, commit, consume };
  Kind kind = Kind::none;
  std::uint64_t first = 0;  // batch to read or commit; first batch to consume
  std::uint64_t last = 0;   // one past the last batch to consume
  unsigned consumer = 0;
};

class Scheduler {
 public:
  // `consumers`: those that workers act for; 0: none.
  Scheduler(unsigned slots, unsigned workers, unsigned consumers);

  std::size_t slot_of(std::uint64_t batch) const { return batch % slots_.size(); }
  std::size_t slots() const { return slots_.size(); }

  // `done` is what the worker was given last, to which there is nothing more to do. Waits for something that `worker`
  // (0 .. workers - 1) can do. Kind::none: there will be nothing more.
  Task next(unsigned worker, const Task& done = {});

  // On the way, so that others go on: the batch to read is claimed (somebody else may claim the next), or the source
  // has ended and there is no such batch; then the task is over. The batch to commit is committed (somebody else may
  // commit the next); when the task is done the batch is finished.
  void claimed(bool more);
  void committed(std::uint64_t batch);

  // The thread outside. False: there is no such batch, or something has failed.
  bool wait_for(std::uint64_t batch);
  void release(std::uint64_t batch);  // in order; its slot may be filled again

  // The source goes on behind its end. REQUIRES: no worker is at work.
  void go_on();

  // Ends all work; the first exception is kept and thrown by rethrow_failure().
  void fail(std::exception_ptr failure);
  void rethrow_failure();

 private:
  struct Slot {
    unsigned consumers_left = 0;
    bool read = false;
    bool finished = false;
  };
  struct Consumer {
    std::uint64_t next = 0;  // batch
    bool busy = false;
  };

  // REQUIRES, of these: mutex_ is held.
  void note(const Task& done);
  void finish(std::uint64_t batch);
  void consumed(const Task& task);
  void free_slots(std::uint64_t first, std::uint64_t last);
  bool find(unsigned worker, Task& task);
  bool find_own_consumer(unsigned worker, Task& task);
  bool find_any_consumer(Task& task);
  bool take(unsigned consumer, Task& task);
  bool may_commit() const;
  bool may_read() const;
  bool all_done() const;
  void wake_for_more();
  Slot& slot(std::uint64_t batch) { return slots_[slot_of(batch)]; }

  const unsigned workers_;
  std::mutex mutex_;
  std::condition_variable something_to_do_, finished_;
  unsigned waiting_ WARPMETER_GUARDED_BY(mutex_) = 0;  // workers
  std::vector<Slot> slots_;  // mutex_ guards what is in them; how many there are is known to all
  std::vector<Consumer> consumers_ WARPMETER_GUARDED_BY(mutex_);
  unsigned busy_ WARPMETER_GUARDED_BY(mutex_) = 0;  // consumers
  unsigned open_ WARPMETER_GUARDED_BY(mutex_) = 0;  // consumers that are not, and have batches to consume
  // Batches before these have been claimed, ..., consumed by all.
  std::uint64_t claim_ WARPMETER_GUARDED_BY(mutex_) = 0;
  std::uint64_t commit_ WARPMETER_GUARDED_BY(mutex_) = 0;
  std::uint64_t ready_ WARPMETER_GUARDED_BY(mutex_) = 0;
  std::uint64_t oldest_ WARPMETER_GUARDED_BY(mutex_) = 0;
  bool claiming_ WARPMETER_GUARDED_BY(mutex_) = false;
  bool committing_ WARPMETER_GUARDED_BY(mutex_) = false;
  bool ended_ WARPMETER_GUARDED_BY(mutex_) = false;
  std::exception_ptr failure_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline pipeline
