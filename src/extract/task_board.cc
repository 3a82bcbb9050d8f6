#include "extract/task_board.h"

namespace warpmeter {

TaskBoard::TaskBoard(unsigned slots, std::uint32_t batch_capacity, unsigned workers) : workers_(workers) {
  for (unsigned i = 0; i < slots; ++i) slots_.push_back(std::make_unique<BatchSlot>(batch_capacity));
}

Task TaskBoard::next(unsigned worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (failure_) return {};
    if (may_settle()) {  // quickly done, and everybody waits for it
      settling_ = true;
      return {Task::Kind::settle, next_settle_, 0, 0};
    }
    Task task;
    if (find_meter_task(worker, true, task)) return task;
    if (may_read()) {
      claiming_ = true;
      return {Task::Kind::read, next_read_++, 0, 0};
    }
    if (find_meter_task(worker, false, task)) return task;
    if (all_done()) return {};
    changed_.wait(lock);
  }
}

bool TaskBoard::find_meter_task(unsigned worker, bool own, Task& task) {
  for (unsigned group = 0; group < kGroups; ++group) {
    if ((group % workers_ == worker) != own) continue;
    if (group_busy_[group] || next_of_group_[group] == ready_until_) continue;
    group_busy_[group] = true;
    task = {Task::Kind::meter, next_of_group_[group], ready_until_, group};
    return true;
  }
  return false;
}

bool TaskBoard::may_settle() { return !settling_ && next_settle_ < next_read_ && slot(next_settle_).walked; }

bool TaskBoard::may_read() const { return !claiming_ && !ended_ && next_read_ - oldest_ < slots_.size(); }

bool TaskBoard::all_done() const { return ended_ && oldest_ == next_read_; }

void TaskBoard::claimed(bool more) {
  const std::lock_guard lock(mutex_);
  claiming_ = false;
  if (!more) {
    ended_ = true;
    --next_read_;
  }
  changed_.notify_all();
}

void TaskBoard::walked(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  slot(batch).walked = true;  // nobody is woken: who says so asks for the next task at once
}

void TaskBoard::settled(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  slot(batch).walked = false;
  next_settle_ = batch + 1;
  settling_ = false;
  if (may_settle()) changed_.notify_one();
}

void TaskBoard::decoded(std::uint64_t batch) {
  const std::lock_guard lock(mutex_);
  slot(batch).decoded = true;
  slot(batch).groups_left = kGroups;
  while (ready_until_ < next_read_ && slot(ready_until_).decoded) ++ready_until_;
  changed_.notify_all();
}

void TaskBoard::metered(const Task& task) {
  const std::lock_guard lock(mutex_);
  group_busy_[task.group] = false;
  next_of_group_[task.group] = task.last;
  for (std::uint64_t batch = task.first; batch < task.last; ++batch) --slot(batch).groups_left;
  while (oldest_ < ready_until_ && slot(oldest_).groups_left == 0) slot(oldest_++).decoded = false;
  changed_.notify_all();
}

void TaskBoard::fail(std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = std::move(failure);
  changed_.notify_all();
}

void TaskBoard::rethrow_failure() {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace warpmeter
