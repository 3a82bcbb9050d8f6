// Who gets which task: order, bounds, the end, failure.
#include "pipeline/batches/scheduler.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/on_its_own.h"

namespace warpmeter {
namespace {

using test::OnItsOwn;
using Kind = Task::Kind;

constexpr unsigned kConsumers = 16;

std::exception_ptr error(const char* text) { return std::make_exception_ptr(std::runtime_error(text)); }

void expect_failure(Scheduler& scheduler, const std::string& text) {
  try {
    scheduler.rethrow_failure();
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& thrown) {
    EXPECT_EQ(thrown.what(), text);
  }
}

// One worker that does what it is told, step by step.
class Worker {
 public:
  explicit Worker(Scheduler& scheduler, unsigned number = 0) : scheduler_(scheduler), number_(number) {}

  Task next() { return task_ = scheduler_.next(number_, std::exchange(task_, {})); }
  void expect(Kind kind, std::uint64_t batch) {
    const Task task = next();
    ASSERT_EQ(task.kind, kind);
    EXPECT_EQ(task.first, batch);
  }
  void expect_end() { EXPECT_EQ(next().kind, Kind::none); }
  void claim(std::uint64_t batch) {
    expect(Kind::read, batch);
    scheduler_.claimed(true);
  }
  void find_end() {
    EXPECT_EQ(next().kind, Kind::read);
    scheduler_.claimed(false);
  }
  void commit(std::uint64_t batch) {
    expect(Kind::commit, batch);
    scheduler_.committed(batch);
  }
  void read_and_commit(std::uint64_t batch) {
    claim(batch);
    commit(batch);
  }
  // Every consumer once, from `first` until before `last`.
  void consume_all(std::uint64_t first, std::uint64_t last) {
    std::array<bool, kConsumers> met{};
    for (unsigned i = 0; i < kConsumers; ++i) {
      const Task task = next();
      ASSERT_EQ(task.kind, Kind::consume);
      EXPECT_EQ(task.first, first);
      EXPECT_EQ(task.last, last);
      EXPECT_FALSE(std::exchange(met.at(task.consumer), true)) << "consumer " << task.consumer;
    }
  }

 private:
  Scheduler& scheduler_;
  const unsigned number_;
  Task task_;
};

TEST(Scheduler, NothingToReadEndsAtOnce) {
  Scheduler scheduler(2, 1, kConsumers);
  Worker worker(scheduler);
  worker.find_end();
  worker.expect_end();
  worker.expect_end();
  scheduler.rethrow_failure();  // nothing has failed
}

TEST(Scheduler, ReadsThenCommitsThenConsumes) {
  Scheduler scheduler(1, 1, kConsumers);
  Worker worker(scheduler);
  for (std::uint64_t batch = 0; batch < 5; ++batch) {
    worker.read_and_commit(batch);
    worker.consume_all(batch, batch + 1);
  }
  worker.find_end();
  worker.expect_end();
}

TEST(Scheduler, OneClaimsWhileAnotherReads) {
  Scheduler scheduler(4, 2, 0);
  Worker a(scheduler, 0), b(scheduler, 1);
  a.expect(Kind::read, 0);
  OnItsOwn second([&] { return b.next().first; });
  EXPECT_TRUE(second.waits());
  scheduler.claimed(true);
  EXPECT_EQ(second.get(), 1u);
}

TEST(Scheduler, CommitsInTheOrderOfTheClaims) {
  Scheduler scheduler(2, 2, 1);
  Worker a(scheduler, 0), b(scheduler, 1);
  a.claim(0);
  b.claim(1);
  OnItsOwn later([&] { return b.next(); });  // has read batch 1
  EXPECT_TRUE(later.waits());
  a.expect(Kind::commit, 0);
  EXPECT_TRUE(later.waits());
  scheduler.committed(0);
  EXPECT_EQ(later.get().kind, Kind::commit);
}

// A batch that is read again when it is committed holds up the consumers, but not the commit of the next.
TEST(Scheduler, NothingIsConsumedBeforeAllBeforeItIsFinished) {
  Scheduler scheduler(2, 2, 1);
  Worker a(scheduler, 0), b(scheduler, 1);
  a.claim(0);
  b.claim(1);
  a.commit(0);
  b.commit(1);
  OnItsOwn later([&] { return b.next(); });  // batch 1 is finished
  EXPECT_TRUE(later.waits());
  const Task all = a.next();  // and so is batch 0
  EXPECT_EQ(all.kind, Kind::consume);
  EXPECT_EQ(all.first, 0u);
  EXPECT_EQ(all.last, 2u);
  EXPECT_TRUE(later.waits());
  EXPECT_EQ(a.next().kind, Kind::read);
  scheduler.claimed(false);
  EXPECT_EQ(later.get().kind, Kind::none);
}

TEST(Scheduler, BusyConsumerIsGivenToNobodyElse) {
  Scheduler scheduler(2, kConsumers + 1, kConsumers);
  Worker reader(scheduler, kConsumers);
  reader.read_and_commit(0);
  std::vector<Worker> busy;
  std::array<bool, kConsumers> met{};
  reader.claim(1);  // no consumer is its own
  for (unsigned i = 0; i < kConsumers; ++i) {
    busy.emplace_back(scheduler, i);
    EXPECT_FALSE(std::exchange(met.at(busy.back().next().consumer), true));
  }
  reader.commit(1);
  OnItsOwn waiting([&] { return reader.next(); });
  EXPECT_TRUE(waiting.waits());  // all consumers are busy, all slots are in use
  const Task next = busy[3].next();
  EXPECT_EQ(next.kind, Kind::consume);
  EXPECT_EQ(next.consumer, 3u);
  EXPECT_EQ(next.first, 1u);
  EXPECT_TRUE(waiting.waits());
  scheduler.fail(error("over"));
  EXPECT_EQ(waiting.get().kind, Kind::none);
}

// Its own consumers first, then reading, and only then what would otherwise wait for another worker.
TEST(Scheduler, WorkersPreferTheirOwnConsumers) {
  Scheduler scheduler(2, 2, kConsumers);
  Worker worker(scheduler, 1), also(scheduler, 1);
  worker.read_and_commit(0);
  for (unsigned i = 0; i < kConsumers / 2; ++i) {
    const Task own = worker.next();
    ASSERT_EQ(own.kind, Kind::consume);
    EXPECT_EQ(own.consumer % 2, 1u);
  }
  EXPECT_EQ(worker.next().kind, Kind::read);
  const Task others = also.next();
  ASSERT_EQ(others.kind, Kind::consume);
  EXPECT_EQ(others.consumer % 2, 0u);
}

TEST(Scheduler, SlotsAreUsedInTurn) {
  const Scheduler scheduler(3, 1, 1);
  EXPECT_EQ(scheduler.slots(), 3u);
  EXPECT_EQ(scheduler.slot_of(0), scheduler.slot_of(3));
  EXPECT_NE(scheduler.slot_of(0), scheduler.slot_of(1));
  EXPECT_NE(scheduler.slot_of(1), scheduler.slot_of(2));
}

// ---- with a thread outside that consumes

TEST(Scheduler, WorkersWaitForASlotToBeReleased) {
  Scheduler scheduler(2, 1, 0);
  Worker worker(scheduler);
  for (std::uint64_t batch : {0, 1}) worker.read_and_commit(batch);
  OnItsOwn reader([&] { return worker.next().first; });
  EXPECT_TRUE(scheduler.wait_for(0));
  EXPECT_TRUE(reader.waits());  // whoever has batch 0 may still need what lies in its slot
  scheduler.release(0);
  EXPECT_EQ(reader.get(), 2u);
}

TEST(Scheduler, FinishedBatchesComeInOrder) {
  Scheduler scheduler(4, 2, 0);
  Worker a(scheduler, 0), b(scheduler, 1);
  a.claim(0);
  b.claim(1);
  a.commit(0);
  b.commit(1);
  OnItsOwn outside([&] { return scheduler.wait_for(0); });
  EXPECT_EQ(b.next().first, 2u);  // batch 1 is finished
  EXPECT_TRUE(outside.waits());
  scheduler.claimed(false);
  a.expect_end();
  EXPECT_TRUE(outside.get());
  EXPECT_TRUE(scheduler.wait_for(1));
  EXPECT_FALSE(scheduler.wait_for(2));
}

// A slot remembers that its batch was finished; the next batch in it is not.
TEST(Scheduler, ReusedSlotIsNotFinishedYet) {
  Scheduler scheduler(1, 2, 0);
  Worker a(scheduler, 0);
  a.read_and_commit(0);
  OnItsOwn second([&] {
    a.read_and_commit(1);
    return true;
  });
  EXPECT_TRUE(scheduler.wait_for(0));
  scheduler.release(0);
  EXPECT_TRUE(second.get());
  OnItsOwn outside([&] { return scheduler.wait_for(1); });
  EXPECT_TRUE(outside.waits());
  OnItsOwn third([&] { return a.next().first; });
  EXPECT_TRUE(outside.get());
  scheduler.release(1);
  EXPECT_EQ(third.get(), 2u);
}

TEST(Scheduler, EndWakesThoseWhoWait) {
  Scheduler scheduler(4, 2, 0);
  Worker a(scheduler, 0), b(scheduler, 1);
  a.expect(Kind::read, 0);
  OnItsOwn reader([&] { return b.next().kind; });
  OnItsOwn outside([&] { return scheduler.wait_for(0); });
  EXPECT_TRUE(reader.waits());
  scheduler.claimed(false);
  EXPECT_EQ(reader.get(), Kind::none);
  EXPECT_FALSE(outside.get());
}

// ---- failure

TEST(Scheduler, FailureEndsAllWork) {
  Scheduler scheduler(2, 1, 0);
  Worker worker(scheduler);
  worker.read_and_commit(0);
  worker.claim(1);
  scheduler.fail(error("first"));
  scheduler.fail(error("second"));
  worker.expect_end();
  EXPECT_FALSE(scheduler.wait_for(0));
  expect_failure(scheduler, "first");
}

TEST(Scheduler, FailureWakesThoseWhoWait) {
  for (const unsigned consumers : {0u, 1u}) {
    Scheduler scheduler(1, 3, consumers);
    Worker worker(scheduler);
    worker.expect(Kind::read, 0);  // and never done: whoever asks now has to wait
    std::atomic<int> woken = 0;
    {
      std::vector<std::jthread> waiting;
      for (unsigned i = 1; i < 4; ++i) {
        waiting.emplace_back([&, i] { woken += scheduler.next(i % 3).kind == Kind::none; });
      }
      waiting.emplace_back([&] { woken += !scheduler.wait_for(0); });
      scheduler.fail(error("over"));
    }
    EXPECT_EQ(woken, 4);
  }
}

}  // namespace
}  // namespace warpmeter
