// Many threads that ask a scheduler for tasks, or one outside that consumes what they make: every batch comes to every
// consumer once and in order, and whatever fails ends them all.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline/batches/scheduler.h"

namespace warpmeter {
namespace {

using Kind = Task::Kind;

struct Crowd {
  unsigned workers, slots, consumers;
  std::uint64_t batches;
  Kind fails = Kind::none;
  std::uint64_t fails_at = 0;
};

// Plays the workers, and the thread outside if there are no consumers, and checks at every step what they rely on.
class Players {
 public:
  explicit Players(const Crowd& crowd)
      : crowd_(crowd),
        scheduler_(crowd.slots, crowd.workers, crowd.consumers),
        slots_(crowd.slots),
        consumers_(std::max(crowd.consumers, 1u)) {}

  void run() {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < crowd_.workers; ++i) threads.emplace_back([this, i] { guarded([this, i] { work(i); }); });
    if (crowd_.consumers == 0) threads.emplace_back([this] { guarded([this] { consume_outside(); }); });
  }
  Scheduler& scheduler() { return scheduler_; }
  std::uint64_t consumed(unsigned consumer) const { return consumers_[consumer].next; }
  std::uint64_t committed() const { return committed_; }
  int mistakes() const { return mistakes_; }

 private:
  void check(bool good) { mistakes_ += !good; }

  void guarded(const std::function<void()>& function) {
    try {
      function();
    } catch (...) {
      scheduler_.fail(std::current_exception());
    }
  }
  void may_fail(Kind kind, std::uint64_t batch) const {
    if (kind == crowd_.fails && batch == crowd_.fails_at) throw std::runtime_error("failed");
  }
  void work(unsigned worker) {
    Task task;
    while ((task = scheduler_.next(worker, task)).kind != Kind::none) {
      if (task.kind == Kind::read) read(task.first);
      else if (task.kind == Kind::commit) commit(task.first);
      else consume(task.consumer, task.first, task.last);
    }
  }
  void read(std::uint64_t batch) {
    check(!std::exchange(claiming_, true));  // one at a time, and the scheduler's lock between two
    check(batch == claimed_);
    may_fail(Kind::read, batch);
    const bool more = batch < crowd_.batches;
    Slot& slot = slots_[scheduler_.slot_of(batch)];
    if (more)
      check(slot.users.exchange(static_cast<int>(consumers_.size())) == 0);  // nobody needs what lay here before
    claimed_ += more;
    claiming_ = false;
    scheduler_.claimed(more);
    if (!more) return;
    if (batch % 3 == 0) std::this_thread::yield();
  }
  void commit(std::uint64_t batch) {
    check(!std::exchange(committing_, true));
    check(batch == committed_++);
    committing_ = false;
    scheduler_.committed(batch);
    if (batch % 5 == 0) std::this_thread::yield();
    may_fail(Kind::commit, batch);
    slots_[scheduler_.slot_of(batch)].batch = batch;
  }
  void consume(unsigned number, std::uint64_t first, std::uint64_t last) {
    Consumer& consumer = consumers_[number];
    check(!std::exchange(consumer.busy, true));
    check(first == consumer.next && first < last);
    for (std::uint64_t batch = first; batch < last; ++batch) {
      may_fail(Kind::consume, batch);
      Slot& slot = slots_[scheduler_.slot_of(batch)];
      check(slot.batch == batch);
      --slot.users;
    }
    consumer.next = last;
    consumer.busy = false;
  }
  void consume_outside() {
    for (std::uint64_t batch = 0; scheduler_.wait_for(batch); ++batch) {
      consume(0, batch, batch + 1);
      if (batch % 7 == 0) std::this_thread::yield();
      scheduler_.release(batch);
    }
  }

  struct Slot {
    std::uint64_t batch = 0;
    std::atomic<int> users = 0;
  };
  struct Consumer {
    std::uint64_t next = 0;
    bool busy = false;
  };
  const Crowd crowd_;
  Scheduler scheduler_;
  // Plain where the scheduler promises that only one thread at a time comes here.
  bool claiming_ = false, committing_ = false;
  std::uint64_t claimed_ = 0, committed_ = 0;
  std::vector<Slot> slots_;
  std::vector<Consumer> consumers_;
  std::atomic<int> mistakes_ = 0;
};

class SchedulerCrowd : public testing::TestWithParam<Crowd> {};

TEST_P(SchedulerCrowd, EveryConsumerHasEveryBatchInOrder) {
  Players players(GetParam());
  players.run();
  players.scheduler().rethrow_failure();
  EXPECT_EQ(players.mistakes(), 0);
  EXPECT_EQ(players.committed(), GetParam().batches);
  for (unsigned i = 0; i < std::max(GetParam().consumers, 1u); ++i) EXPECT_EQ(players.consumed(i), GetParam().batches);
}

INSTANTIATE_TEST_SUITE_P(Scheduler, SchedulerCrowd,
                         testing::Values(Crowd{1, 1, 16, 200}, Crowd{1, 3, 16, 200}, Crowd{2, 3, 16, 1000},
                                         Crowd{4, 1, 16, 500}, Crowd{4, 7, 16, 1000}, Crowd{8, 15, 16, 1000},
                                         Crowd{16, 2, 16, 500}, Crowd{3, 5, 16, 0}, Crowd{3, 8, 1, 2000},
                                         Crowd{1, 1, 0, 200}, Crowd{1, 4, 0, 500}, Crowd{3, 5, 0, 1000},
                                         Crowd{8, 8, 0, 1000}, Crowd{4, 2, 0, 500}, Crowd{2, 4, 0, 0}));

class SchedulerFailure : public testing::TestWithParam<Crowd> {};

TEST_P(SchedulerFailure, EndsAllWork) {
  Players players(GetParam());
  players.run();
  EXPECT_THROW(players.scheduler().rethrow_failure(), std::runtime_error);
  EXPECT_EQ(players.mistakes(), 0);
}

INSTANTIATE_TEST_SUITE_P(Scheduler, SchedulerFailure,
                         testing::Values(Crowd{3, 4, 16, 500, Kind::read, 0}, Crowd{3, 4, 0, 500, Kind::read, 77},
                                         Crowd{3, 4, 16, 500, Kind::commit, 0}, Crowd{8, 8, 0, 500, Kind::commit, 99},
                                         Crowd{1, 1, 16, 500, Kind::commit, 499},
                                         Crowd{3, 4, 16, 500, Kind::consume, 0},
                                         Crowd{8, 8, 0, 500, Kind::consume, 250},
                                         Crowd{3, 4, 0, 500, Kind::consume, 499}));

}  // namespace
}  // namespace warpmeter
