// A pipeline without stages of its own threads.
//
// Batches must be read beside each other, committed in order, and consumed in order by each of many consumers. A
// thread for each of these jobs would leave cores idle, since how much work each job is depends on the packets. So
// here any worker does whatever can be done now. What that is, four counters tell that only grow:
//
//   oldest_ <= ready_ <= commit_ <= claim_
//
// Before claim_ batches are being read or were; before commit_ they are committed, in order; before ready_ they may be
// consumed (a batch whose guess was wrong is read again after its commit, so that some finish out of order; ready_
// stops at the first that has not); before oldest_ all consumers are done, and the slots are free. Each consumer has a
// counter of its own, between oldest_ and ready_: it takes all batches from there to ready_ at once, so that who comes
// late catches up.
//
// What a worker is given first: to commit, because it is short and others wait for it; to consume for a consumer of
// its own, because its memory is in this core's cache; to read, if a slot is free; then to consume for anyone.
//
// Why it does not stall: look at the oldest batch that is not consumed by all. Somebody reads it, or it is read and
// may be committed, or it is finished and a consumer that has not seen it is busy or may be taken. So somebody works,
// or find() has something for who asks next. And nobody sleeps on it: whoever leaves the lock wakes one sleeper if
// there is more to do, who does the same.
#include "pipeline/batches/scheduler.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline pipeline {

Scheduler::Scheduler(unsigned slots, unsigned workers, unsigned consumers)
    : workers_(workers), slots_(slots), consumers_(consumers) {}

Task Scheduler::next(unsigned worker, const Task& done) {
  std::unique_lock lock(mutex_);
  note(done);
  Task task;
  while (!failure_ && !find(worker, task) && !all_done()) {
    ++waiting_;
    something_to_do_.wait(lock);
    --waiting_;
  }
  wake_for_more();
  return task;
}

void Scheduler::note(const Task& done) {
  switch (done.kind) {
    case Task::Kind::read:
      if (done.first < claim_) slot(done.first).read = true;  // else there was no such batch
      break;
    case Task::Kind::commit: finish(done.first); break;
    case Task::Kind::consume: consumed(done); break;
    case Task::Kind::none: break;
  }
}

bool Scheduler::find(unsigned worker, Task& task) {
  if (may_commit()) {  // quickly done, and everybody waits for it
    committing_ = true;
    task = {Task::Kind::commit, commit_, commit_ + 1, 0};
    return true;
  }
  if (find_own_consumer(worker, task)) return true;
  if (may_read()) {
    claiming_ = true;
    task = {Task::Kind::read, claim_, claim_ + 1, 0};
    return true;
  }
  return find_any_consumer(task);
}

bool Scheduler::find_own_consumer(unsigned worker, Task& task) {
  if (open_ == 0) return false;
  for (unsigned i = worker; i < consumers_.size(); i += workers_) {
    if (take(i, task)) return true;
  }
  return false;
}

bool Scheduler::find_any_consumer(Task& task) {
  if (open_ == 0) return false;
  unsigned i = 0;
  while (!take(i, task)) ++i;
  return true;
}

bool Scheduler::take(unsigned i, Task& task) {
  Consumer& consumer = consumers_[i];
  if (consumer.busy || consumer.next == ready_) return false;
  consumer.busy = true;
  ++busy_;
  --open_;
  task = {Task::Kind::consume, consumer.next, ready_, i};
  return true;
}

bool Scheduler::may_commit() const { return !committing_ && commit_ < claim_ && slots_[slot_of(commit_)].read; }

bool Scheduler::may_read() const { return !claiming_ && !ended_ && claim_ - oldest_ < slots_.size(); }

bool Scheduler::all_done() const { return ended_ && !claiming_ && (consumers_.empty() ? ready_ : oldest_) == claim_; }

// Whoever is woken does the same when it leaves, so one is enough.
void Scheduler::wake_for_more() {
  if (waiting_ == 0) return;
  if (failure_ || all_done()) something_to_do_.notify_all();
  else if (may_commit() || may_read() || open_ > 0) something_to_do_.notify_one();
}

void Scheduler::claimed(bool more) {
  const std::lock_guard lock(mutex_);
  claiming_ = false;
  if (more) ++claim_;
  else ended_ = true;
  if (ended_ && consumers_.empty()) finished_.notify_all();
  wake_for_more();
}

void Scheduler::committed(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  slot(batch).read = false;
  commit_ = batch + 1;
  committing_ = false;
  wake_for_more();
}

void Scheduler::finish(std::uint64_t batch) {
  slot(batch).finished = true;
  slot(batch).consumers_left = static_cast<unsigned>(std::max<std::size_t>(consumers_.size(), 1));
  if (batch == ready_) {
    while (ready_ < claim_ && slot(ready_).finished) ++ready_;
    open_ = static_cast<unsigned>(consumers_.size()) - busy_;
  }
  if (consumers_.empty()) finished_.notify_all();
}

void Scheduler::consumed(const Task& task) {
  consumers_[task.consumer] = {task.last, false};
  --busy_;
  if (task.last != ready_) ++open_;
  free_slots(task.first, task.last);
}

void Scheduler::free_slots(std::uint64_t first, std::uint64_t last) {
  for (std::uint64_t batch = first; batch < last; ++batch) --slot(batch).consumers_left;
  while (oldest_ < ready_ && slot(oldest_).consumers_left == 0) slot(oldest_++).finished = false;
}

bool Scheduler::wait_for(std::uint64_t batch) {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return failure_ || batch < ready_ || (ended_ && batch >= claim_); });
  return !failure_ && batch < ready_;
}

void Scheduler::release(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  free_slots(batch, batch + 1);
  wake_for_more();
}

void Scheduler::go_on() {
  const std::lock_guard lock(mutex_);
  ended_ = false;
}

void Scheduler::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  something_to_do_.notify_all();
  finished_.notify_all();
}

void Scheduler::rethrow_failure() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace warpmeter::inline pipeline
