// Who gets which batch, and who waits for what: order, bounds, the end, failure; with one thread and with many.
#include "pipeline/batch_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kCapacity = 4;

std::pmr::memory_resource& heap() { return *std::pmr::new_delete_resource(); }

// A call on a thread of its own. That it waits is looked at for a moment only: a call that should not have waited is
// sure to be seen to return, one that should have is sure not to be mistaken.
template <class Call>
class OnItsOwn {
 public:
  explicit OnItsOwn(Call call) : result_(std::async(std::launch::async, call)) {}
  bool waits() const { return result_.wait_for(20ms) == std::future_status::timeout; }
  auto get() { return result_.get(); }

 private:
  std::future<std::invoke_result_t<Call>> result_;
};

std::exception_ptr error(const char* text) { return std::make_exception_ptr(std::runtime_error(text)); }

void expect_failure(BatchRing& ring, const std::string& text) {
  try {
    ring.rethrow_failure();
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& thrown) {
    EXPECT_EQ(thrown.what(), text);
  }
}

void read(BatchRing& ring, std::uint64_t batch) {
  EXPECT_EQ(ring.begin_read(), batch);
  ring.frames_read(true);
}

void read_and_decode(BatchRing& ring, std::uint64_t batch) {
  read(ring, batch);
  ring.decoded(batch);
}

void read_end(BatchRing& ring) {
  EXPECT_TRUE(ring.begin_read());
  ring.frames_read(false);
}

void submit(BatchRing& ring, std::uint64_t batch) {
  EXPECT_TRUE(ring.wait_until_decoded(batch));
  ring.submitted(batch);
}

void collect(BatchRing& ring, std::uint64_t batch) {
  EXPECT_TRUE(ring.wait_until_submitted(batch));
  ring.collected(batch);
  ring.release(batch);
}

TEST(BatchRing, EmptyTraceEndsAtOnce) {
  BatchRing ring(4, kCapacity, heap(), 2);
  read_end(ring);
  EXPECT_EQ(ring.begin_read(), std::nullopt);
  EXPECT_FALSE(ring.wait_until_decoded(0));
  EXPECT_FALSE(ring.wait_until_submitted(0));
  ring.rethrow_failure();  // nothing has failed
}

TEST(BatchRing, BatchesPassOneAfterTheOther) {
  BatchRing ring(1, kCapacity, heap(), 1);
  for (std::uint64_t batch = 0; batch < 5; ++batch) {
    read_and_decode(ring, batch);
    submit(ring, batch);
    collect(ring, batch);
  }
  read_end(ring);
  EXPECT_EQ(ring.begin_read(), std::nullopt);
  EXPECT_FALSE(ring.wait_until_decoded(5));
  EXPECT_FALSE(ring.wait_until_submitted(5));
}

TEST(BatchRing, SlotsAreUsedInTurn) {
  BatchRing ring(3, kCapacity, heap(), 2);
  EXPECT_EQ(&ring.slot(0), &ring.slot(3));
  EXPECT_NE(&ring.slot(0), &ring.slot(1));
  EXPECT_NE(&ring.slot(1), &ring.slot(2));
  EXPECT_EQ(ring.slot(2).batch.capacity, kCapacity);
}

TEST(BatchRing, ColumnsLieInTheGivenMemory) {
  alignas(64) std::array<std::byte, 1 << 12> memory;
  std::pmr::monotonic_buffer_resource given(memory.data(), memory.size(), std::pmr::null_memory_resource());
  BatchRing ring(2, kCapacity, given, 2);
  for (std::uint64_t batch : {0, 1}) {
    const auto* place = reinterpret_cast<const std::byte*>(ring.slot(batch).batch.segment.data());
    EXPECT_TRUE(place >= memory.data() && place < memory.data() + memory.size());
  }
}

TEST(BatchRing, ReaderWaitsForASlotToBeReleased) {
  BatchRing ring(2, kCapacity, heap(), 2);
  for (std::uint64_t batch : {0, 1}) {
    read_and_decode(ring, batch);
    submit(ring, batch);
  }
  OnItsOwn reader([&] { return ring.begin_read(); });
  ring.collected(0);
  EXPECT_TRUE(reader.waits());  // whoever collected batch 0 may still need what lies in its slot
  ring.release(0);
  EXPECT_EQ(reader.get(), 2u);
}

TEST(BatchRing, OneReadsWhileAnotherDecodes) {
  BatchRing ring(4, kCapacity, heap(), 2);
  EXPECT_EQ(ring.begin_read(), 0u);
  OnItsOwn second([&] { return ring.begin_read(); });
  EXPECT_TRUE(second.waits());
  ring.frames_read(true);
  EXPECT_EQ(second.get(), 1u);  // batch 0 is not decoded yet
}

TEST(BatchRing, BatchesAreSubmittedInOrderOfReading) {
  BatchRing ring(4, kCapacity, heap(), 2);
  read(ring, 0);
  read(ring, 1);
  OnItsOwn submitter([&] { return ring.wait_until_decoded(0); });
  ring.decoded(1);
  EXPECT_TRUE(submitter.waits());
  ring.decoded(0);
  EXPECT_TRUE(submitter.get());
  ring.submitted(0);
  EXPECT_TRUE(ring.wait_until_decoded(1));
}

// A slot remembers that its batch was decoded; the next batch in it is not.
TEST(BatchRing, ReusedSlotIsNotDecodedYet) {
  BatchRing ring(2, kCapacity, heap(), 2);
  for (std::uint64_t batch : {0, 1}) {
    read_and_decode(ring, batch);
    submit(ring, batch);
    collect(ring, batch);
  }
  read(ring, 2);
  OnItsOwn submitter([&] { return ring.wait_until_decoded(2); });
  read_and_decode(ring, 3);
  EXPECT_TRUE(submitter.waits());
  ring.decoded(2);
  EXPECT_TRUE(submitter.get());
}

TEST(BatchRing, SubmitterWaitsForTheDeviceToHaveRoom) {
  for (unsigned under_way : {1u, 2u, 3u}) {
    BatchRing ring(4, kCapacity, heap(), under_way);
    for (std::uint64_t batch = 0; batch < 4; ++batch) read_and_decode(ring, batch);
    for (std::uint64_t batch = 0; batch < under_way; ++batch) submit(ring, batch);
    OnItsOwn submitter([&] { return ring.wait_until_decoded(under_way); });
    EXPECT_TRUE(submitter.waits());
    EXPECT_TRUE(ring.wait_until_submitted(0));
    EXPECT_TRUE(submitter.waits());
    ring.collected(0);  // the slot is not released: room on the device is enough
    EXPECT_TRUE(submitter.get());
  }
}

TEST(BatchRing, CollectorWaitsForTheBatchToBeSubmitted) {
  BatchRing ring(4, kCapacity, heap(), 2);
  read_and_decode(ring, 0);
  OnItsOwn collector([&] { return ring.wait_until_submitted(0); });
  EXPECT_TRUE(ring.wait_until_decoded(0));
  EXPECT_TRUE(collector.waits());
  ring.submitted(0);
  EXPECT_TRUE(collector.get());
}

TEST(BatchRing, EndWakesThoseWhoWait) {
  BatchRing ring(4, kCapacity, heap(), 2);
  EXPECT_EQ(ring.begin_read(), 0u);
  OnItsOwn reader([&] { return ring.begin_read(); });
  OnItsOwn submitter([&] { return ring.wait_until_decoded(0); });
  OnItsOwn collector([&] { return ring.wait_until_submitted(0); });
  EXPECT_TRUE(reader.waits());
  ring.frames_read(false);
  EXPECT_EQ(reader.get(), std::nullopt);
  EXPECT_FALSE(submitter.get());
  EXPECT_FALSE(collector.get());
}

TEST(BatchRing, EndComesBehindTheBatchesThatWereRead) {
  BatchRing ring(4, kCapacity, heap(), 2);
  read(ring, 0);
  OnItsOwn submitter([&] { return ring.wait_until_decoded(0); });
  OnItsOwn collector([&] { return ring.wait_until_submitted(0); });
  read_end(ring);
  EXPECT_TRUE(submitter.waits());
  ring.decoded(0);
  EXPECT_TRUE(submitter.get());
  EXPECT_TRUE(collector.waits());
  ring.submitted(0);
  EXPECT_TRUE(collector.get());
  EXPECT_FALSE(ring.wait_until_decoded(1));
  EXPECT_FALSE(ring.wait_until_submitted(1));
}

TEST(BatchRing, FailureEndsAllWork) {
  BatchRing ring(4, kCapacity, heap(), 2);
  read_and_decode(ring, 0);
  submit(ring, 0);
  read_and_decode(ring, 1);
  ring.fail(error("first"));
  ring.fail(error("second"));
  EXPECT_EQ(ring.begin_read(), std::nullopt);
  EXPECT_FALSE(ring.wait_until_decoded(1));
  EXPECT_FALSE(ring.wait_until_submitted(0));
  expect_failure(ring, "first");
}

TEST(BatchRing, FailureWakesThoseWhoWait) {
  BatchRing ring(2, kCapacity, heap(), 1);
  read_and_decode(ring, 0);
  submit(ring, 0);
  read_and_decode(ring, 1);
  OnItsOwn for_a_slot([&] { return ring.begin_read(); });
  OnItsOwn also_for_a_slot([&] { return ring.begin_read(); });
  OnItsOwn for_room([&] { return ring.wait_until_decoded(1); });
  OnItsOwn for_a_submission([&] { return ring.wait_until_submitted(1); });
  EXPECT_TRUE(for_a_slot.waits() && also_for_a_slot.waits() && for_room.waits() && for_a_submission.waits());
  ring.fail(error("over"));
  EXPECT_EQ(for_a_slot.get(), std::nullopt);
  EXPECT_EQ(also_for_a_slot.get(), std::nullopt);
  EXPECT_FALSE(for_room.get());
  EXPECT_FALSE(for_a_submission.get());
}

TEST(BatchRing, FailureWakesThoseWhoWaitForDecoding) {
  BatchRing ring(2, kCapacity, heap(), 1);
  EXPECT_EQ(ring.begin_read(), 0u);  // and whoever reads it fails
  OnItsOwn for_reading([&] { return ring.begin_read(); });
  OnItsOwn for_decoding([&] { return ring.wait_until_decoded(0); });
  EXPECT_TRUE(for_reading.waits() && for_decoding.waits());
  ring.fail(error("over"));
  EXPECT_EQ(for_reading.get(), std::nullopt);
  EXPECT_FALSE(for_decoding.get());
}

TEST(BatchRing, CountersOfAllSlotsAreSummed) {
  BatchRing ring(3, kCapacity, heap(), 2);
  for (std::uint64_t batch = 0; batch < 3; ++batch) {
    ring.slot(batch).counters.frames += 10 + batch;
    ring.slot(batch).counters.ignored[2] += 1;
  }
  EXPECT_EQ(ring.counters().frames, 33u);
  EXPECT_EQ(ring.counters().ignored[2], 3u);
}

enum class Stage { none, read, decode, submit, collect };

struct Crowd {
  unsigned readers, slots, under_way;
  std::uint64_t batches;
  Stage fails = Stage::none;
  std::uint64_t fails_at = 0;
};

// Plays the stages and checks, at every step, what they rely on.
class Stages {
 public:
  explicit Stages(const Crowd& crowd)
      : crowd_(crowd), ring_(crowd.slots, kCapacity, heap(), crowd.under_way), in_use_(crowd.slots) {}

  void run() {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < crowd_.readers; ++i) threads.emplace_back([this] { guarded(&Stages::read); });
    threads.emplace_back([this] { guarded(&Stages::submit); });
    threads.emplace_back([this] { guarded(&Stages::collect); });
  }
  BatchRing& ring() { return ring_; }
  std::uint64_t submitted() const { return submitted_; }
  std::uint64_t collected() const { return collected_; }
  int mistakes() const { return mistakes_; }

 private:
  void check(bool good) { mistakes_ += !good; }

  void guarded(void (Stages::*stage)()) {
    try {
      (this->*stage)();
    } catch (...) {
      ring_.fail(std::current_exception());
    }
  }
  void may_fail(Stage stage, std::uint64_t batch) const {
    if (stage == crowd_.fails && batch == crowd_.fails_at) throw std::runtime_error("failed");
  }
  void read() {
    while (const auto batch = ring_.begin_read()) {
      check(!std::exchange(reading_, true));  // one reader at a time, and the ring's lock between two
      check(*batch == next_read_++);
      may_fail(Stage::read, *batch);
      const bool more = *batch < crowd_.batches;
      if (more) check(!in_use_[*batch % crowd_.slots].exchange(true));  // nobody needs any more what lay here before
      reading_ = false;
      ring_.frames_read(more);
      if (!more) continue;
      if (*batch % 3 == 0) std::this_thread::yield();
      may_fail(Stage::decode, *batch);
      ring_.slot(*batch).batch.reset(*batch);
      ++ring_.slot(*batch).counters.frames;
      ring_.decoded(*batch);
    }
  }
  void submit() {
    for (std::uint64_t batch = 0; ring_.wait_until_decoded(batch); ++batch) {
      check(under_way_++ < crowd_.under_way);
      check(ring_.slot(batch).batch.first_number == batch);
      may_fail(Stage::submit, batch);
      ++submitted_;
      ring_.submitted(batch);
    }
  }
  void collect() {
    for (std::uint64_t batch = 0; ring_.wait_until_submitted(batch); ++batch) {
      may_fail(Stage::collect, batch);
      --under_way_;
      ring_.collected(batch);
      if (batch % 5 == 0) std::this_thread::yield();
      check(ring_.slot(batch).batch.first_number == batch);
      check(in_use_[batch % crowd_.slots].exchange(false));
      ++collected_;
      ring_.release(batch);
    }
  }

  const Crowd crowd_;
  BatchRing ring_;
  // Plain where the ring promises that only one thread at a time comes here.
  bool reading_ = false;
  std::uint64_t next_read_ = 0, submitted_ = 0, collected_ = 0;
  std::vector<std::atomic<bool>> in_use_;  // by slot
  std::atomic<unsigned> under_way_ = 0;
  std::atomic<int> mistakes_ = 0;
};

class BatchRingCrowd : public testing::TestWithParam<Crowd> {};

TEST_P(BatchRingCrowd, EveryBatchPassesEveryStageInOrder) {
  Stages stages(GetParam());
  stages.run();
  stages.ring().rethrow_failure();
  EXPECT_EQ(stages.mistakes(), 0);
  EXPECT_EQ(stages.submitted(), GetParam().batches);
  EXPECT_EQ(stages.collected(), GetParam().batches);
  EXPECT_EQ(stages.ring().counters().frames, GetParam().batches);
}

INSTANTIATE_TEST_SUITE_P(BatchRing, BatchRingCrowd,
                         testing::Values(Crowd{1, 1, 1, 200}, Crowd{1, 4, 2, 500}, Crowd{3, 5, 2, 1000},
                                         Crowd{8, 8, 2, 1000}, Crowd{4, 2, 3, 500}, Crowd{16, 3, 1, 300},
                                         Crowd{2, 4, 2, 1}, Crowd{3, 4, 2, 0}));

class BatchRingFailure : public testing::TestWithParam<Crowd> {};

TEST_P(BatchRingFailure, AllStagesEnd) {
  Stages stages(GetParam());
  stages.run();
  expect_failure(stages.ring(), "failed");
  EXPECT_EQ(stages.mistakes(), 0);
  EXPECT_LE(stages.collected(), stages.submitted());
}

INSTANTIATE_TEST_SUITE_P(BatchRing, BatchRingFailure,
                         testing::Values(Crowd{3, 4, 2, 500, Stage::read, 0}, Crowd{3, 4, 2, 500, Stage::read, 77},
                                         Crowd{3, 4, 2, 500, Stage::decode, 0}, Crowd{1, 4, 2, 500, Stage::decode, 499},
                                         Crowd{3, 4, 2, 500, Stage::submit, 0}, Crowd{8, 8, 2, 500, Stage::submit, 250},
                                         Crowd{1, 4, 2, 500, Stage::collect, 0}, Crowd{3, 4, 1, 500, Stage::collect, 3},
                                         Crowd{3, 4, 2, 500, Stage::collect, 499}));

}  // namespace
}  // namespace warpmeter
