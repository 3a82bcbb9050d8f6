// Pieces come out in the order in which they went in, no device has too many, and whoever waits is woken.
#include "pipeline/metering/device_metering.h"

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

void collect(InFlight& in_flight) {
  const auto next = in_flight.next();
  ASSERT_TRUE(next);
  in_flight.collected(*next);
  in_flight.done();
}

TEST(InFlight, HandsPiecesOnInOrder) {
  InFlight in_flight(2, 2);
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(in_flight.wait_for_room(i % 2));
    in_flight.submitted({7, i % 2, i, i + 1, i == 3});
  }
  in_flight.close();
  for (std::uint32_t i = 0; i < 4; ++i) {
    const auto next = in_flight.next();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->batch, 7u);
    EXPECT_EQ(next->device, i % 2);
    EXPECT_EQ(next->begin, i);
    EXPECT_EQ(next->end, i + 1);
    EXPECT_EQ(next->last, i == 3);
    in_flight.collected(*next);
    in_flight.done();
  }
  EXPECT_FALSE(in_flight.next());
}

TEST(InFlight, WithoutPiecesTheEndComesAtOnce) {
  InFlight in_flight(2, 2);
  EXPECT_TRUE(in_flight.wait_until_empty());
  in_flight.close();
  EXPECT_FALSE(in_flight.next());
}

TEST(InFlight, SubmitterWaitsForTheDeviceToHaveRoom) {
  for (unsigned most : {1u, 2u, 3u}) {
    InFlight in_flight(1, most);
    for (unsigned i = 0; i < most; ++i) {
      EXPECT_TRUE(in_flight.wait_for_room(0));
      in_flight.submitted(piece(i));
    }
    OnItsOwn submitter([&] { return in_flight.wait_for_room(0); });
    const auto first = in_flight.next();
    EXPECT_TRUE(submitter.waits());
    in_flight.collected(*first);  // not done: room on the device is enough
    EXPECT_TRUE(submitter.get());
  }
}

TEST(InFlight, RoomOfOneDeviceIsNotThatOfAnother) {
  InFlight in_flight(2, 1);
  in_flight.submitted(piece(0, 1));
  EXPECT_TRUE(in_flight.wait_for_room(0));
  in_flight.submitted(piece(0, 0));
  OnItsOwn submitter([&] { return in_flight.wait_for_room(0); });
  collect(in_flight);
  EXPECT_TRUE(in_flight.wait_for_room(1));
  EXPECT_TRUE(submitter.waits());
  collect(in_flight);
  EXPECT_TRUE(submitter.get());
}

// Batches that end without packets: they take no room, but come out in their order.
TEST(InFlight, WhatADeviceHasNothingToDoForGoesPastIt) {
  InFlight in_flight(1, 1);
  in_flight.submitted({0, 0, 0, 0, true});
  EXPECT_TRUE(in_flight.wait_for_room(0));
  in_flight.submitted(piece(1));
  for (std::uint64_t batch : {2, 3}) in_flight.submitted({batch, 0, 7, 7, true});
  OnItsOwn submitter([&] { return in_flight.wait_for_room(0); });
  for (std::uint64_t batch : {0, 1, 2, 3}) {
    const auto next = in_flight.next();
    ASSERT_TRUE(next);
    EXPECT_EQ(next->batch, batch);
    EXPECT_EQ(next->is_for_device(), batch == 1);
    if (batch == 1) {
      EXPECT_TRUE(submitter.waits());
      in_flight.collected(*next);
      EXPECT_TRUE(submitter.get());
    }
    in_flight.done();
  }
  EXPECT_TRUE(in_flight.wait_until_empty());
}

// Without segments, but not without work.
TEST(InFlight, IdleFlowsLeaveADevice) {
  const Piece expires{.batch = 0, .device = 0, .begin = 0, .end = 0, .last = false, .watermark_ns = 0};
  EXPECT_TRUE(expires.is_for_device());
}

TEST(InFlight, CollectorWaitsForAPiece) {
  InFlight in_flight(1, 2);
  OnItsOwn collector([&] { return in_flight.next().has_value(); });
  EXPECT_TRUE(collector.waits());
  in_flight.submitted(piece(0));
  EXPECT_TRUE(collector.get());
}

TEST(InFlight, EndWakesTheCollector) {
  InFlight in_flight(1, 2);
  OnItsOwn collector([&] { return in_flight.next().has_value(); });
  EXPECT_TRUE(collector.waits());
  in_flight.close();
  EXPECT_FALSE(collector.get());
}

TEST(InFlight, EndComesBehindThePiecesThatWereSubmitted) {
  InFlight in_flight(1, 2);
  for (std::uint64_t batch : {0, 1}) in_flight.submitted(piece(batch));
  in_flight.close();
  collect(in_flight);
  EXPECT_EQ(in_flight.next()->batch, 1u);
  collect(in_flight);
  EXPECT_FALSE(in_flight.next());
}

// Room comes with collecting; empty it is only when all is done, for all devices.
TEST(InFlight, IsEmptyWhenAllIsDone) {
  InFlight in_flight(2, 1);
  for (unsigned device : {0u, 1u}) in_flight.submitted(piece(0, device));
  OnItsOwn submitter([&] { return in_flight.wait_until_empty(); });
  collect(in_flight);
  const auto second = in_flight.next();
  in_flight.collected(*second);
  EXPECT_TRUE(in_flight.wait_for_room(0) && in_flight.wait_for_room(1));
  EXPECT_TRUE(submitter.waits());
  in_flight.done();
  EXPECT_TRUE(submitter.get());
}

TEST(InFlight, FailureEndsAllWork) {
  InFlight in_flight(1, 2);
  in_flight.submitted(piece(0));
  in_flight.fail();
  EXPECT_FALSE(in_flight.next());
  EXPECT_FALSE(in_flight.wait_for_room(0));
  EXPECT_FALSE(in_flight.wait_until_empty());
}

TEST(InFlight, FailureWakesThoseWhoWait) {
  InFlight idle(1, 1), full(1, 1);
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
      : crowd_(crowd), in_flight_(crowd.devices, crowd.most), on_device_(crowd.devices) {}

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
    in_flight_.fail();
    return true;
  }
  void submit() {
    std::mt19937 random(1);
    for (; submitted_ < crowd_.pieces; ++submitted_) {
      const auto device = static_cast<unsigned>(random() % 4 ? 0 : random() % crowd_.devices);
      if (!in_flight_.wait_for_room(device)) return;
      if (random() % 50 == 0) {
        if (!in_flight_.wait_until_empty()) return;
        check(done_ == submitted_);
      }
      if (fails(Stage::submit, submitted_)) return;
      check(on_device_[device]++ < crowd_.most);
      in_flight_.submitted(piece(submitted_, device));
    }
    in_flight_.close();
  }
  void collect() {
    for (; const auto next = in_flight_.next(); ++collected_) {
      check(next->batch == collected_);
      if (fails(Stage::collect, collected_)) return;
      --on_device_[next->device];
      in_flight_.collected(*next);
      if (collected_ % 5 == 0) std::this_thread::yield();
      ++done_;
      in_flight_.done();
    }
  }

  const Crowd crowd_;
  InFlight in_flight_;
  std::vector<std::atomic<unsigned>> on_device_;
  std::uint64_t submitted_ = 0, collected_ = 0;
  std::atomic<std::uint64_t> done_ = 0;
  std::atomic<int> mistakes_ = 0;
};

class InFlightCrowd : public testing::TestWithParam<Crowd> {};

// Each device is only ever given what it has room for, whatever the others do.
TEST_P(InFlightCrowd, EveryPiecePassesInOrder) {
  Stages stages(GetParam());
  stages.run();
  EXPECT_EQ(stages.mistakes(), 0);
  EXPECT_EQ(stages.submitted(), GetParam().pieces);
  EXPECT_EQ(stages.collected(), GetParam().pieces);
}

INSTANTIATE_TEST_SUITE_P(InFlight, InFlightCrowd,
                         testing::Values(Crowd{3, 2, 3000}, Crowd{1, 1, 1000}, Crowd{8, 1, 2000}, Crowd{2, 3, 2000},
                                         Crowd{4, 2, 0}));

class InFlightFailure : public testing::TestWithParam<Crowd> {};

TEST_P(InFlightFailure, BothEnd) {
  Stages stages(GetParam());
  stages.run();
  EXPECT_EQ(stages.mistakes(), 0);
  EXPECT_LT(stages.submitted(), 1000u);
  EXPECT_LE(stages.collected(), stages.submitted());
}

INSTANTIATE_TEST_SUITE_P(InFlight, InFlightFailure,
                         testing::Values(Crowd{2, 2, 1000, Stage::submit, 0}, Crowd{1, 1, 1000, Stage::submit, 77},
                                         Crowd{3, 2, 1000, Stage::submit, 999}, Crowd{2, 2, 1000, Stage::collect, 0},
                                         Crowd{1, 2, 1000, Stage::collect, 77},
                                         Crowd{3, 1, 1000, Stage::collect, 500}));

}  // namespace
}  // namespace warpmeter
