// The wheel itself: who is due is looked at once and in time, whatever time does; and what costs no more than it may.
#include "flow/meter/expiry_wheel.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace warpmeter {
namespace {

constexpr std::int64_t kSlot = 10;
constexpr std::int64_t kRound = kSlot * ExpiryWheel::kSlots;

class WheelTest : public testing::Test {
 protected:
  void file(std::uint32_t number, std::int64_t due_ns) {
    due_[number] = due_ns;
    wheel_.file(number, due_ns);
  }
  // Who is due leaves, the others are filed anew. The numbers that left.
  std::set<std::uint32_t> turn(std::int64_t watermark_ns, std::size_t looks = SIZE_MAX) {
    std::set<std::uint32_t> left;
    const std::size_t before = looks;
    done_ = wheel_.turn(
        watermark_ns, looks, [](std::uint32_t) {},
        [&](std::uint32_t number) {
          ++looked_;
          EXPECT_TRUE(due_.contains(number)) << number;
          if (due_[number] >= watermark_ns) return due_[number];
          due_.erase(number);
          EXPECT_TRUE(left.insert(number).second) << number;
          return ExpiryWheel::kGone;
        });
    EXPECT_LE(looks, before);
    return left;
  }

  ExpiryWheel wheel_{kSlot};
  std::map<std::uint32_t, std::int64_t> due_;
  std::size_t looked_ = 0;
  bool done_ = true;
};

using Numbers = std::set<std::uint32_t>;

TEST_F(WheelTest, IsDueWhenItsSlotHasPassed) {
  turn(1000);
  file(0, 1004);
  file(1, 1015);
  EXPECT_EQ(turn(1005), Numbers());
  EXPECT_EQ(turn(1010), Numbers({0}));
  EXPECT_EQ(turn(1019), Numbers());
  EXPECT_EQ(turn(1020), Numbers({1}));
  EXPECT_EQ(looked_, 2u);
}

TEST_F(WheelTest, WhatIsDueLaterThanARoundIsLookedAtOnceARound) {
  turn(0);
  file(7, 10 * kRound);
  for (std::int64_t time = 0; time <= 10 * kRound; time += kSlot) EXPECT_EQ(turn(time), Numbers()) << time;
  EXPECT_EQ(turn(10 * kRound + kSlot), Numbers({7}));
  EXPECT_LE(looked_, 12u);
}

TEST_F(WheelTest, StopsWhereLooksEndAndGoesOnThere) {
  turn(0);
  for (std::uint32_t i = 0; i < 100; ++i) file(i, i);
  Numbers left;
  for (int i = 0; i < 9; ++i) {
    left.merge(turn(1000, 11));
    EXPECT_FALSE(done_);
    EXPECT_EQ(left.size(), 11u * (static_cast<std::size_t>(i) + 1));
  }
  left.merge(turn(1000, 11));
  EXPECT_TRUE(done_);
  EXPECT_EQ(left.size(), 100u);
  EXPECT_EQ(looked_, 100u);
}

TEST_F(WheelTest, AJumpForwardLooksAtEachOnce) {
  turn(0);
  for (std::uint32_t i = 0; i < 1000; ++i) file(i, 7 * i);
  file(5000, std::int64_t{1} << 60);
  EXPECT_EQ(turn(std::int64_t{1} << 59).size(), 1000u);
  EXPECT_LE(looked_, 1001u);
  EXPECT_EQ(turn((std::int64_t{1} << 60) + 2 * kSlot), Numbers({5000}));
}

TEST_F(WheelTest, AJumpBackKeepsAllWithinARound) {
  turn(1'000'000'000);
  file(1, 1'000'000'000 + 3 * kSlot);
  EXPECT_EQ(turn(5000), Numbers());
  file(2, 5000 + kSlot);  // in time from now on
  EXPECT_EQ(turn(5000 + 3 * kSlot), Numbers({2}));
  due_[1] = 6000;  // due is what it says when it is looked at
  EXPECT_EQ(turn(5000 + kRound + kSlot), Numbers({1}));
}

TEST_F(WheelTest, TimesBefore1970) {
  turn(-1'000'000);
  file(3, -999'991);
  EXPECT_EQ(turn(-999'991), Numbers());
  EXPECT_EQ(turn(-999'989), Numbers({3}));
}

TEST_F(WheelTest, FiledBeforeAnyTimeHasPassed) {
  file(1, 123'456'789);
  file(2, 123'456'000);
  EXPECT_EQ(turn(123'000'000), Numbers());
  EXPECT_EQ(turn(123'456'100), Numbers({2}));
  EXPECT_EQ(turn(123'456'800), Numbers({1}));
}

TEST_F(WheelTest, NothingIsFiledOnceItIsCleared) {
  turn(0);
  for (std::uint32_t i = 0; i < 50; ++i) file(i, 1);
  turn(100, 10);
  wheel_.clear();
  due_.clear();
  EXPECT_EQ(turn(10 * kRound), Numbers());
}

// Whatever is filed leaves no earlier than it is due and no later than a slot after, as long as time rises.
TEST_F(WheelTest, RandomTimesLeaveInTime) {
  std::mt19937_64 random(5);
  std::int64_t now = 1'000'000;
  std::uint32_t next = 0;
  turn(now);
  for (int round = 0; round < 3000; ++round) {
    for (std::uint64_t i = random() % 5; i > 0; --i)
      file(next++, now + static_cast<std::int64_t>(random() % (2 * kRound)));
    now += static_cast<std::int64_t>(random() % 60);
    const auto before = due_;
    const Numbers left = turn(now);
    for (const auto& [number, due] : before) {
      if (left.contains(number)) EXPECT_LT(due, now);
      else EXPECT_GE(due + kSlot, now);
    }
  }
}

}  // namespace
}  // namespace warpmeter
