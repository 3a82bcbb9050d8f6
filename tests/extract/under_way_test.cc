// Pieces come out in the order in which they went in, no device has too many, and whoever waits is woken.
#include "extract/under_way.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "support/on_its_own.h"

namespace warpmeter {
namespace {

using test::OnItsOwn;

Piece piece(std::uint64_t batch, unsigned device = 0) { return {batch, device, 0, 1, true}; }

void collect(UnderWay& under_way) {
  const auto next = under_way.next();
  ASSERT_TRUE(next);
  under_way.collected(*next);
  under_way.done();
}

TEST(UnderWay, HandsPiecesOnInOrder) {
  UnderWay under_way(2, 2);
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(under_way.wait_for_room(i % 2));
    under_way.submitted({7, i % 2, i, i + 1, i == 3});
  }
  under_way.close();
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto next = under_way.next();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->batch, 7u);
    EXPECT_EQ(next->device, i % 2);
    EXPECT_EQ(next->begin, i);
    EXPECT_EQ(next->end, i + 1);
    EXPECT_EQ(next->last, i == 3);
    under_way.collected(*next);
    under_way.done();
  }
  EXPECT_FALSE(under_way.next());
}

TEST(UnderWay, WithoutPiecesTheEndComesAtOnce) {
  UnderWay under_way(2, 2);
  EXPECT_TRUE(under_way.wait_until_empty());
  under_way.close();
  EXPECT_FALSE(under_way.next());
}

TEST(UnderWay, SubmitterWaitsForTheDeviceToHaveRoom) {
  for (unsigned most : {1u, 2u, 3u}) {
    UnderWay under_way(1, most);
    for (unsigned i = 0; i < most; ++i) {
      EXPECT_TRUE(under_way.wait_for_room(0));
      under_way.submitted(piece(i));
    }
    OnItsOwn submitter([&] { return under_way.wait_for_room(0); });
    const auto first = under_way.next();
    EXPECT_TRUE(submitter.waits());
    under_way.collected(*first);  // not done: room on the device is enough
    EXPECT_TRUE(submitter.get());
  }
}

TEST(UnderWay, RoomOfOneDeviceIsNotThatOfAnother) {
  UnderWay under_way(2, 1);
  under_way.submitted(piece(0, 1));
  EXPECT_TRUE(under_way.wait_for_room(0));
  under_way.submitted(piece(0, 0));
  OnItsOwn submitter([&] { return under_way.wait_for_room(0); });
  collect(under_way);
  EXPECT_TRUE(under_way.wait_for_room(1));
  EXPECT_TRUE(submitter.waits());
  collect(under_way);
  EXPECT_TRUE(submitter.get());
}

TEST(UnderWay, CollectorWaitsForAPiece) {
  UnderWay under_way(1, 2);
  OnItsOwn collector([&] { return under_way.next().has_value(); });
  EXPECT_TRUE(collector.waits());
  under_way.submitted(piece(0));
  EXPECT_TRUE(collector.get());
}

TEST(UnderWay, EndWakesTheCollector) {
  UnderWay under_way(1, 2);
  OnItsOwn collector([&] { return under_way.next().has_value(); });
  EXPECT_TRUE(collector.waits());
  under_way.close();
  EXPECT_FALSE(collector.get());
}

TEST(UnderWay, EndComesBehindThePiecesThatWereSubmitted) {
  UnderWay under_way(1, 2);
  for (std::uint64_t batch : {0, 1}) under_way.submitted(piece(batch));
  under_way.close();
  collect(under_way);
  EXPECT_EQ(under_way.next()->batch, 1u);
  collect(under_way);
  EXPECT_FALSE(under_way.next());
}

// Room comes with collecting; empty it is only when all is done, for all devices.
TEST(UnderWay, IsEmptyWhenAllIsDone) {
  UnderWay under_way(2, 1);
  for (unsigned device : {0u, 1u}) under_way.submitted(piece(0, device));
  OnItsOwn submitter([&] { return under_way.wait_until_empty(); });
  collect(under_way);
  const auto second = under_way.next();
  under_way.collected(*second);
  EXPECT_TRUE(under_way.wait_for_room(0) && under_way.wait_for_room(1));
  EXPECT_TRUE(submitter.waits());
  under_way.done();
  EXPECT_TRUE(submitter.get());
}

TEST(UnderWay, FailureEndsAllWork) {
  UnderWay under_way(1, 2);
  under_way.submitted(piece(0));
  under_way.fail();
  EXPECT_FALSE(under_way.next());
  EXPECT_FALSE(under_way.wait_for_room(0));
  EXPECT_FALSE(under_way.wait_until_empty());
}

TEST(UnderWay, FailureWakesThoseWhoWait) {
  UnderWay idle(1, 1), full(1, 1);
  full.submitted(piece(0));
  OnItsOwn for_a_piece([&] { return idle.next().has_value(); });
  OnItsOwn for_room([&] { return full.wait_for_room(0); });
  OnItsOwn for_the_end([&] { return full.wait_until_empty(); });
  EXPECT_TRUE(for_a_piece.waits() && for_room.waits() && for_the_end.waits());
  idle.fail();
  full.fail();
  EXPECT_FALSE(for_a_piece.get());
  EXPECT_FALSE(for_room.get());
  EXPECT_FALSE(for_the_end.get());
}

enum class Stage { none, submit, collect };

struct Crowd {
  unsigned devices, most;
  std::uint64_t pieces;
  Stage fails = Stage::none;
  std::uint64_t fails_at = 0;
};

// One submits, at random to one device or another, now and then once all is done; one collects.
class Stages {
 public:
  explicit Stages(const Crowd& crowd)
      : crowd_(crowd), under_way_(crowd.devices, crowd.most), on_device_(crowd.devices) {}

  void run() {
    const std::jthread submitter([this] { submit(); });
    const std::jthread collector([this] { collect(); });
  }
  std::uint64_t submitted() const { return submitted_; }
  std::uint64_t collected() const { return collected_; }
  int mistakes() const { return mistakes_; }

 private:
  void check(bool good) { mistakes_ += !good; }

  bool fails(Stage stage, std::uint64_t at) {
    if (stage != crowd_.fails || at != crowd_.fails_at) return false;
    under_way_.fail();
    return true;
  }
  void submit() {
    std::mt19937 random(1);
    for (; submitted_ < crowd_.pieces; ++submitted_) {
      const auto device = static_cast<unsigned>(random() % 4 ? 0 : random() % crowd_.devices);
      if (!under_way_.wait_for_room(device)) return;
      if (random() % 50 == 0) {
        if (!under_way_.wait_until_empty()) return;
        check(done_ == submitted_);
      }
      if (fails(Stage::submit, submitted_)) return;
      check(on_device_[device]++ < crowd_.most);
      under_way_.submitted(piece(submitted_, device));
    }
    under_way_.close();
  }
  void collect() {
    for (; const auto next = under_way_.next(); ++collected_) {
      check(next->batch == collected_);
      if (fails(Stage::collect, collected_)) return;
      --on_device_[next->device];
      under_way_.collected(*next);
      if (collected_ % 5 == 0) std::this_thread::yield();
      ++done_;
      under_way_.done();
    }
  }

  const Crowd crowd_;
  UnderWay under_way_;
  std::vector<std::atomic<unsigned>> on_device_;
  std::uint64_t submitted_ = 0, collected_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<int> mistakes_ = 0;
};

class UnderWayCrowd : public testing::TestWithParam<Crowd> {};

// Each device is only ever given what it has room for, whatever the others do.
TEST_P(UnderWayCrowd, EveryPiecePassesInOrder) {
  Stages stages(GetParam());
  stages.run();
  EXPECT_EQ(stages.mistakes(), 0);
  EXPECT_EQ(stages.submitted(), GetParam().pieces);
  EXPECT_EQ(stages.collected(), GetParam().pieces);
}

INSTANTIATE_TEST_SUITE_P(UnderWay, UnderWayCrowd,
                         testing::Values(Crowd{3, 2, 3000}, Crowd{1, 1, 1000}, Crowd{8, 1, 2000}, Crowd{2, 3, 2000},
                                         Crowd{4, 2, 0}));

class UnderWayFailure : public testing::TestWithParam<Crowd> {};

TEST_P(UnderWayFailure, BothEnd) {
  Stages stages(GetParam());
  stages.run();
  EXPECT_EQ(stages.mistakes(), 0);
  EXPECT_LT(stages.submitted(), 1000u);
  EXPECT_LE(stages.collected(), stages.submitted());
}

INSTANTIATE_TEST_SUITE_P(UnderWay, UnderWayFailure,
                         testing::Values(Crowd{2, 2, 1000, Stage::submit, 0}, Crowd{1, 1, 1000, Stage::submit, 77},
                                         Crowd{3, 2, 1000, Stage::submit, 999}, Crowd{2, 2, 1000, Stage::collect, 0},
                                         Crowd{1, 2, 1000, Stage::collect, 77},
                                         Crowd{3, 1, 1000, Stage::collect, 500}));

}  // namespace
}  // namespace warpmeter
