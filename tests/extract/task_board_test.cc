// Who gets which task: order, bounds, the end, failure; with one thread and with many.
#include "extract/task_board.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

namespace warpmeter {
namespace {

constexpr std::uint32_t kCapacity = 4;

std::uint64_t expect_read(TaskBoard& board) {
  const Task task = board.next();
  EXPECT_EQ(task.kind, Task::Kind::read);
  return task.first;
}

void expect_settle(TaskBoard& board, std::uint64_t batch) {
  const Task task = board.next();
  ASSERT_EQ(task.kind, Task::Kind::settle);
  EXPECT_EQ(task.first, batch);
  board.settled(batch);
  board.decoded(batch);
}

void walk_and_settle(TaskBoard& board, std::uint64_t batch) {
  board.walked(batch);
  expect_settle(board, batch);
}

// Every group once, from `first` until before `last`.
void meter_all(TaskBoard& board, std::uint64_t first, std::uint64_t last) {
  std::array<bool, kGroups> met{};
  for (unsigned i = 0; i < kGroups; ++i) {
    const Task task = board.next();
    ASSERT_EQ(task.kind, Task::Kind::meter);
    EXPECT_EQ(task.first, first);
    EXPECT_EQ(task.last, last);
    EXPECT_FALSE(std::exchange(met.at(task.group), true)) << "group " << task.group;
    board.metered(task);
  }
}

TEST(TaskBoard, EmptyTraceEndsAtOnce) {
  TaskBoard board(2, kCapacity);
  EXPECT_EQ(expect_read(board), 0u);
  board.claimed(false);
  EXPECT_EQ(board.next().kind, Task::Kind::none);
  EXPECT_EQ(board.next().kind, Task::Kind::none);
}

TEST(TaskBoard, ReadsThenMetersEveryGroup) {
  TaskBoard board(1, kCapacity);
  for (std::uint64_t batch = 0; batch < 5; ++batch) {
    EXPECT_EQ(expect_read(board), batch);
    board.claimed(true);
    walk_and_settle(board, batch);
    meter_all(board, batch, batch + 1);
  }
  EXPECT_EQ(expect_read(board), 5u);
  board.claimed(false);
  EXPECT_EQ(board.next().kind, Task::Kind::none);
}

TEST(TaskBoard, MetersNothingBeforeAnEarlierBatchIsSettled) {
  TaskBoard board(3, kCapacity);
  for (std::uint64_t batch = 0; batch < 2; ++batch) {
    EXPECT_EQ(expect_read(board), batch);
    board.claimed(true);
  }
  board.walked(1);
  EXPECT_EQ(expect_read(board), 2u);
  board.claimed(false);
  board.walked(0);
  expect_settle(board, 0);
  expect_settle(board, 1);
  meter_all(board, 0, 2);
  EXPECT_EQ(board.next().kind, Task::Kind::none);
}

// A batch that is decoded again when it is settled holds up the metering, but not the settling of the next.
TEST(TaskBoard, SettlesOneAfterTheOtherAndMetersWhatIsDecoded) {
  TaskBoard board(2, kCapacity);
  for (std::uint64_t batch = 0; batch < 2; ++batch) {
    EXPECT_EQ(expect_read(board), batch);
    board.claimed(true);
  }
  board.walked(0);
  board.walked(1);
  const Task settle = board.next();
  ASSERT_EQ(settle.kind, Task::Kind::settle);
  EXPECT_EQ(settle.first, 0u);
  std::jthread next([&] { expect_settle(board, 1); });  // waits for the first
  board.settled(0);
  next.join();
  board.decoded(0);
  meter_all(board, 0, 2);
}

TEST(TaskBoard, BusyGroupIsGivenToNobodyElse) {
  TaskBoard board(2, kCapacity);
  expect_read(board);
  board.claimed(true);
  walk_and_settle(board, 0);
  std::array<bool, kGroups> busy{};
  std::vector<Task> tasks;
  for (unsigned i = 0; i < kGroups; ++i) {
    tasks.push_back(board.next());
    ASSERT_EQ(tasks.back().kind, Task::Kind::meter);
    EXPECT_FALSE(std::exchange(busy.at(tasks.back().group), true));
  }
  EXPECT_EQ(expect_read(board), 1u);  // all groups are busy, one slot is free
  board.claimed(true);
  walk_and_settle(board, 1);
  board.metered(tasks[3]);
  const Task next = board.next();
  EXPECT_EQ(next.kind, Task::Kind::meter);
  EXPECT_EQ(next.group, tasks[3].group);
  EXPECT_EQ(next.first, 1u);
}

// Its own groups first, then reading, and only then what would otherwise wait for another worker.
TEST(TaskBoard, WorkersPreferTheirOwnGroups) {
  TaskBoard board(2, kCapacity, 2);
  const Task read = board.next(1);
  board.claimed(true);
  walk_and_settle(board, read.first);
  for (unsigned i = 0; i < kGroups / 2; ++i) {
    const Task own = board.next(1);
    ASSERT_EQ(own.kind, Task::Kind::meter);
    EXPECT_EQ(own.group % 2, 1u);
  }
  EXPECT_EQ(board.next(1).kind, Task::Kind::read);
  const Task others = board.next(1);
  ASSERT_EQ(others.kind, Task::Kind::meter);
  EXPECT_EQ(others.group % 2, 0u);
}

TEST(TaskBoard, SlotsAreUsedInTurn) {
  TaskBoard board(3, kCapacity);
  EXPECT_EQ(&board.slot(0), &board.slot(3));
  EXPECT_NE(&board.slot(0), &board.slot(1));
  EXPECT_EQ(board.slot(2).batch.capacity, kCapacity);
}

TEST(TaskBoard, FailureEndsAllWork) {
  TaskBoard board(2, kCapacity);
  board.rethrow_failure();  // nothing has failed yet
  expect_read(board);
  board.fail(std::make_exception_ptr(std::runtime_error("first")));
  board.fail(std::make_exception_ptr(std::runtime_error("second")));
  EXPECT_EQ(board.next().kind, Task::Kind::none);
  try {
    board.rethrow_failure();
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "first");
  }
}

TEST(TaskBoard, FailureWakesThoseWhoWait) {
  TaskBoard board(1, kCapacity);
  expect_read(board);  // and is never finished: whoever asks now has to wait
  std::atomic<int> woken = 0;
  {
    std::vector<std::jthread> waiting;
    for (int i = 0; i < 3; ++i) {
      waiting.emplace_back([&] { woken += board.next().kind == Task::Kind::none; });
    }
    board.fail(std::make_exception_ptr(std::runtime_error("over")));
  }
  EXPECT_EQ(woken, 3);
}

struct Crowd {
  unsigned threads, slots;
  std::uint64_t batches;
};

// Plays the worker threads and checks, at every step, what they rely on.
class Workers {
 public:
  explicit Workers(const Crowd& crowd) : crowd_(crowd), board_(crowd.slots, kCapacity) {
    for (auto& done : groups_done_) done = kGroups;  // as if an earlier batch had left every slot
  }

  void run() {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < crowd_.threads; ++i) threads.emplace_back([this] { work(); });
  }
  std::uint64_t metered(unsigned group) const { return next_of_group_[group]; }
  int mistakes() const { return mistakes_; }

 private:
  void check(bool good) { mistakes_ += !good; }

  void work() {
    for (Task task = board_.next(); task.kind != Task::Kind::none; task = board_.next()) {
      if (task.kind == Task::Kind::read) read(task.first);
      else if (task.kind == Task::Kind::settle) settle(task.first);
      else meter(task);
    }
  }
  void read(std::uint64_t batch) {
    check(!std::exchange(claiming_, true));  // one at a time, and the board's lock between two
    check(batch == next_read_++);
    const bool more = batch < crowd_.batches;
    if (more) check(groups_done_[batch % crowd_.slots].exchange(0) == kGroups);  // nobody meters what lay here before
    claiming_ = false;
    board_.claimed(more);
    if (!more) return;
    if (batch % 3 == 0) std::this_thread::yield();
    board_.walked(batch);
  }
  void settle(std::uint64_t batch) {
    check(!std::exchange(settling_, true));
    check(batch == next_settle_++);
    settling_ = false;
    board_.settled(batch);
    if (batch % 5 == 0) std::this_thread::yield();
    board_.slot(batch).batch.reset(batch);
    board_.decoded(batch);
  }
  void meter(const Task& task) {
    check(!std::exchange(group_busy_[task.group], true));
    check(task.first == next_of_group_[task.group] && task.first < task.last);
    for (std::uint64_t batch = task.first; batch < task.last; ++batch) {
      check(board_.slot(batch).batch.first_number == batch);
      ++groups_done_[batch % crowd_.slots];
    }
    next_of_group_[task.group] = task.last;
    group_busy_[task.group] = false;
    board_.metered(task);
  }

  const Crowd crowd_;
  TaskBoard board_;
  // Plain where the board promises that only one thread at a time comes here.
  bool claiming_ = false;
  bool settling_ = false;
  std::uint64_t next_read_ = 0;
  std::uint64_t next_settle_ = 0;
  std::array<bool, kGroups> group_busy_{};
  std::array<std::uint64_t, kGroups> next_of_group_{};
  std::array<std::atomic<unsigned>, 64> groups_done_{};  // by slot
  std::atomic<int> mistakes_ = 0;
};

class TaskBoardCrowd : public testing::TestWithParam<Crowd> {};

TEST_P(TaskBoardCrowd, EveryGroupMetersEveryBatchInOrder) {
  Workers workers(GetParam());
  workers.run();
  EXPECT_EQ(workers.mistakes(), 0);
  for (unsigned group = 0; group < kGroups; ++group) EXPECT_EQ(workers.metered(group), GetParam().batches);
}

INSTANTIATE_TEST_SUITE_P(TaskBoard, TaskBoardCrowd,
                         testing::Values(Crowd{1, 1, 200}, Crowd{1, 3, 200}, Crowd{2, 3, 1000}, Crowd{4, 1, 500},
                                         Crowd{4, 7, 1000}, Crowd{8, 15, 1000}, Crowd{16, 2, 500}, Crowd{3, 5, 0}));

}  // namespace
}  // namespace warpmeter
