// Who gets which batch, and who waits for what: order, turns, bounds, the end, failure; with one thread and with many.
#include "extract/batch_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "extract/on_its_own.h"
#include "extract/under_way.h"

namespace warpmeter {
namespace {

using test::OnItsOwn;

constexpr std::uint32_t kCapacity = 4;

std::vector<std::pmr::memory_resource*> heap() { return {std::pmr::new_delete_resource()}; }

std::exception_ptr error(const char* text) { return std::make_exception_ptr(std::runtime_error(text)); }

void expect_failure(BatchRing& ring, const std::string& text) {
  try {
    ring.rethrow_failure();
    FAIL() << "nothing thrown";
  } catch (const std::runtime_error& thrown) {
    EXPECT_EQ(thrown.what(), text);
  }
}

void claim(BatchRing& ring, std::uint64_t batch) {
  EXPECT_EQ(ring.begin_read(), batch);
  ring.claimed(true);
}

void settle(BatchRing& ring, std::uint64_t batch) {
  EXPECT_TRUE(ring.wait_for_turn(batch));
  ring.settled(batch);
}

void read_and_decode(BatchRing& ring, std::uint64_t batch) {
  claim(ring, batch);
  settle(ring, batch);
  ring.decoded(batch);
}

void find_end(BatchRing& ring) {
  EXPECT_TRUE(ring.begin_read());
  ring.claimed(false);
}

void pass_on(BatchRing& ring, std::uint64_t batch) {
  EXPECT_TRUE(ring.wait_until_decoded(batch));
  ring.release(batch);
}

TEST(BatchRing, EmptyTraceEndsAtOnce) {
  BatchRing ring(4, kCapacity, heap());
  find_end(ring);
  EXPECT_EQ(ring.begin_read(), std::nullopt);
  EXPECT_FALSE(ring.wait_until_decoded(0));
  ring.rethrow_failure();  // nothing has failed
}

TEST(BatchRing, BatchesPassOneAfterTheOther) {
  BatchRing ring(1, kCapacity, heap());
  for (std::uint64_t batch = 0; batch < 5; ++batch) {
    read_and_decode(ring, batch);
    pass_on(ring, batch);
  }
  find_end(ring);
  EXPECT_EQ(ring.begin_read(), std::nullopt);
  EXPECT_FALSE(ring.wait_until_decoded(5));
}

TEST(BatchRing, SlotsAreUsedInTurn) {
  BatchRing ring(3, kCapacity, heap());
  EXPECT_EQ(&ring.slot(0), &ring.slot(3));
  EXPECT_NE(&ring.slot(0), &ring.slot(1));
  EXPECT_NE(&ring.slot(1), &ring.slot(2));
  EXPECT_EQ(ring.slot(2).batches.at(0).capacity, kCapacity);
}

// The columns of a device's batches lie in the memory that it copies from fast, those of the next in that one's.
TEST(BatchRing, EveryDeviceHasItsBatchesInItsMemory) {
  struct Memory {
    alignas(64) std::array<std::byte, 1 << 12> bytes;
    std::pmr::monotonic_buffer_resource resource{bytes.data(), bytes.size(), std::pmr::null_memory_resource()};
    bool holds(const void* place) const {
      const auto* at = static_cast<const std::byte*>(place);
      return at >= bytes.data() && at < bytes.data() + bytes.size();
    }
  };
  Memory memories[2];
  BatchRing ring(2, kCapacity, {&memories[0].resource, &memories[1].resource});
  for (std::uint64_t batch : {0, 1}) {
    ASSERT_EQ(ring.slot(batch).batches.size(), 2u);
    for (unsigned device : {0u, 1u}) {
      const SegmentBatch& segments = ring.slot(batch).batches[device];
      EXPECT_TRUE(memories[device].holds(segments.segment.data()));
      EXPECT_TRUE(memories[device].holds(segments.key.data()));
      EXPECT_TRUE(memories[device].holds(segments.hash.data()));
    }
  }
}

TEST(BatchRing, ReaderWaitsForASlotToBeReleased) {
  BatchRing ring(2, kCapacity, heap());
  for (std::uint64_t batch : {0, 1}) read_and_decode(ring, batch);
  OnItsOwn reader([&] { return ring.begin_read(); });
  EXPECT_TRUE(ring.wait_until_decoded(0));
  EXPECT_TRUE(reader.waits());  // whoever has batch 0 may still need what lies in its slot
  ring.release(0);
  EXPECT_EQ(reader.get(), 2u);
}

TEST(BatchRing, OneClaimsWhileAnotherDecodes) {
  BatchRing ring(4, kCapacity, heap());
  EXPECT_EQ(ring.begin_read(), 0u);
  OnItsOwn second([&] { return ring.begin_read(); });
  EXPECT_TRUE(second.waits());
  ring.claimed(true);
  EXPECT_EQ(second.get(), 1u);  // batch 0 is neither settled nor decoded yet
}

TEST(BatchRing, BatchesAreSettledInOrderOfClaiming) {
  BatchRing ring(4, kCapacity, heap());
  for (std::uint64_t batch : {0, 1}) claim(ring, batch);
  OnItsOwn second([&] { return ring.wait_for_turn(1); });
  EXPECT_TRUE(ring.wait_for_turn(0));
  EXPECT_TRUE(second.waits());
  ring.settled(0);
  EXPECT_TRUE(second.get());  // batch 0 may be decoded again meanwhile
}

TEST(BatchRing, BatchesAreSubmittedInOrderOfClaiming) {
  BatchRing ring(4, kCapacity, heap());
  for (std::uint64_t batch : {0, 1}) claim(ring, batch);
  for (std::uint64_t batch : {0, 1}) settle(ring, batch);
  OnItsOwn submitter([&] { return ring.wait_until_decoded(0); });
  ring.decoded(1);
  EXPECT_TRUE(submitter.waits());
  ring.decoded(0);
  EXPECT_TRUE(submitter.get());
  EXPECT_TRUE(ring.wait_until_decoded(1));
}

// A slot remembers that its batch was decoded; the next batch in it is not.
TEST(BatchRing, ReusedSlotIsNotDecodedYet) {
  BatchRing ring(2, kCapacity, heap());
  for (std::uint64_t batch : {0, 1}) {
    read_and_decode(ring, batch);
    pass_on(ring, batch);
  }
  claim(ring, 2);
  settle(ring, 2);
  OnItsOwn submitter([&] { return ring.wait_until_decoded(2); });
  read_and_decode(ring, 3);
  EXPECT_TRUE(submitter.waits());
  ring.decoded(2);
  EXPECT_TRUE(submitter.get());
}

TEST(BatchRing, EndWakesThoseWhoWait) {
  BatchRing ring(4, kCapacity, heap());
  EXPECT_EQ(ring.begin_read(), 0u);
  OnItsOwn reader([&] { return ring.begin_read(); });
  OnItsOwn submitter([&] { return ring.wait_until_decoded(0); });
  EXPECT_TRUE(reader.waits());
  ring.claimed(false);
  EXPECT_EQ(reader.get(), std::nullopt);
  EXPECT_FALSE(submitter.get());
}

TEST(BatchRing, EndComesBehindTheBatchesThatWereClaimed) {
  BatchRing ring(4, kCapacity, heap());
  claim(ring, 0);
  OnItsOwn submitter([&] { return ring.wait_until_decoded(0); });
  find_end(ring);
  settle(ring, 0);
  EXPECT_TRUE(submitter.waits());
  ring.decoded(0);
  EXPECT_TRUE(submitter.get());
  EXPECT_FALSE(ring.wait_until_decoded(1));
}

TEST(BatchRing, FailureEndsAllWork) {
  BatchRing ring(4, kCapacity, heap());
  read_and_decode(ring, 0);
  claim(ring, 1);
  ring.fail(error("first"));
  ring.fail(error("second"));
  EXPECT_EQ(ring.begin_read(), std::nullopt);
  EXPECT_FALSE(ring.wait_for_turn(1));
  EXPECT_FALSE(ring.wait_until_decoded(0));
  expect_failure(ring, "first");
}

TEST(BatchRing, FailureWakesThoseWhoWaitForASlot) {
  BatchRing ring(2, kCapacity, heap());
  for (std::uint64_t batch : {0, 1}) read_and_decode(ring, batch);
  OnItsOwn for_a_slot([&] { return ring.begin_read(); });
  OnItsOwn also_for_a_slot([&] { return ring.begin_read(); });
  EXPECT_TRUE(for_a_slot.waits() && also_for_a_slot.waits());
  ring.fail(error("over"));
  EXPECT_EQ(for_a_slot.get(), std::nullopt);
  EXPECT_EQ(also_for_a_slot.get(), std::nullopt);
}

TEST(BatchRing, FailureWakesThoseWhoWaitForDecoding) {
  BatchRing ring(2, kCapacity, heap());
  EXPECT_EQ(ring.begin_read(), 0u);  // and whoever reads it fails
  OnItsOwn for_reading([&] { return ring.begin_read(); });
  OnItsOwn for_decoding([&] { return ring.wait_until_decoded(0); });
  EXPECT_TRUE(for_reading.waits() && for_decoding.waits());
  ring.fail(error("over"));
  EXPECT_EQ(for_reading.get(), std::nullopt);
  EXPECT_FALSE(for_decoding.get());
}

TEST(BatchRing, FailureWakesThoseWhoWaitForTheirTurn) {
  BatchRing ring(3, kCapacity, heap());
  for (std::uint64_t batch : {0, 1}) claim(ring, batch);
  EXPECT_TRUE(ring.wait_for_turn(0));  // and is never settled
  OnItsOwn second([&] { return ring.wait_for_turn(1); });
  EXPECT_TRUE(second.waits());
  ring.fail(error("over"));
  EXPECT_FALSE(second.get());
}

TEST(BatchRing, CountersOfAllSlotsAreSummed) {
  BatchRing ring(3, kCapacity, heap());
  for (std::uint64_t batch = 0; batch < 3; ++batch) {
    ring.slot(batch).counters.frames += 10 + batch;
    ring.slot(batch).counters.ignored[2] += 1;
  }
  EXPECT_EQ(ring.counters().frames, 33u);
  EXPECT_EQ(ring.counters().ignored[2], 3u);
}

enum class Stage { none, claim, settle, decode, submit, collect };

struct Crowd {
  unsigned readers, slots, under_way;
  std::uint64_t batches;
  Stage fails = Stage::none;
  std::uint64_t fails_at = 0;
};

// Plays the stages, with one piece a batch, and checks, at every step, what they rely on.
class Stages {
 public:
  explicit Stages(const Crowd& crowd)
      : crowd_(crowd), ring_(crowd.slots, kCapacity, heap()), under_way_(1, crowd.under_way), in_use_(crowd.slots) {}

  void run() {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < crowd_.readers; ++i) threads.emplace_back([this] { guarded(&Stages::read); });
    threads.emplace_back([this] { guarded(&Stages::submit); });
    threads.emplace_back([this] { guarded(&Stages::collect); });
  }
  BatchRing& ring() { return ring_; }
  std::uint64_t settled() const { return settled_; }
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
      under_way_.fail();
    }
  }
  void may_fail(Stage stage, std::uint64_t batch) const {
    if (stage == crowd_.fails && batch == crowd_.fails_at) throw std::runtime_error("failed");
  }
  void read() {
    while (const auto batch = ring_.begin_read()) {
      check(!std::exchange(claiming_, true));  // one at a time, and the ring's lock between two
      check(*batch == next_claim_++);
      may_fail(Stage::claim, *batch);
      const bool more = *batch < crowd_.batches;
      if (more) check(!in_use_[*batch % crowd_.slots].exchange(true));  // nobody needs any more what lay here before
      claiming_ = false;
      ring_.claimed(more);
      if (!more) continue;
      if (*batch % 3 == 0) std::this_thread::yield();
      if (!ring_.wait_for_turn(*batch)) return;
      check(*batch == settled_++);
      may_fail(Stage::settle, *batch);
      ring_.settled(*batch);
      if (*batch % 4 == 0) std::this_thread::yield();
      may_fail(Stage::decode, *batch);
      ring_.slot(*batch).batches[0].reset(*batch);
      ++ring_.slot(*batch).counters.frames;
      ring_.decoded(*batch);
    }
  }
  void submit() {
    for (std::uint64_t batch = 0; ring_.wait_until_decoded(batch); ++batch) {
      if (!under_way_.wait_for_room(0)) return;
      check(on_device_++ < crowd_.under_way);
      check(ring_.slot(batch).batches[0].first_number == batch);
      may_fail(Stage::submit, batch);
      ++submitted_;
      under_way_.submitted({batch, 0, 0, 0, true});
    }
    under_way_.close();
  }
  void collect() {
    while (const auto piece = under_way_.next()) {
      const std::uint64_t batch = piece->batch;
      check(batch == collected_);
      may_fail(Stage::collect, batch);
      --on_device_;
      under_way_.collected(*piece);
      if (batch % 5 == 0) std::this_thread::yield();
      check(ring_.slot(batch).batches[0].first_number == batch);
      check(in_use_[batch % crowd_.slots].exchange(false));
      ++collected_;
      under_way_.done();
      ring_.release(batch);
    }
  }

  const Crowd crowd_;
  BatchRing ring_;
  UnderWay under_way_;
  // Plain where only one thread at a time is promised to come.
  bool claiming_ = false;
  std::uint64_t next_claim_ = 0, settled_ = 0, submitted_ = 0, collected_ = 0;
  std::vector<std::atomic<bool>> in_use_;  // by slot
  std::atomic<unsigned> on_device_ = 0;
  std::atomic<int> mistakes_ = 0;
};

class BatchRingCrowd : public testing::TestWithParam<Crowd> {};

TEST_P(BatchRingCrowd, EveryBatchPassesEveryStageInOrder) {
  Stages stages(GetParam());
  stages.run();
  stages.ring().rethrow_failure();
  EXPECT_EQ(stages.mistakes(), 0);
  EXPECT_EQ(stages.settled(), GetParam().batches);
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
  EXPECT_LE(stages.submitted(), stages.settled());
  EXPECT_LE(stages.collected(), stages.submitted());
}

INSTANTIATE_TEST_SUITE_P(BatchRing, BatchRingFailure,
                         testing::Values(Crowd{3, 4, 2, 500, Stage::claim, 0}, Crowd{3, 4, 2, 500, Stage::claim, 77},
                                         Crowd{3, 4, 2, 500, Stage::settle, 0}, Crowd{8, 8, 2, 500, Stage::settle, 99},
                                         Crowd{3, 4, 2, 500, Stage::decode, 0}, Crowd{1, 4, 2, 500, Stage::decode, 499},
                                         Crowd{3, 4, 2, 500, Stage::submit, 0}, Crowd{8, 8, 2, 500, Stage::submit, 250},
                                         Crowd{1, 4, 2, 500, Stage::collect, 0}, Crowd{3, 4, 1, 500, Stage::collect, 3},
                                         Crowd{3, 4, 2, 500, Stage::collect, 499}));

}  // namespace
}  // namespace warpmeter
