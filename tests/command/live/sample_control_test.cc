// Which sample is metered as losses and full rings come and go: time is passed in.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "command/live/load_control.h"
#include "command/live/load_course.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

class SampledCourse : public test::LoadCourse {
 public:
  explicit SampledCourse(std::uint32_t rarest = 1024) : control_(rarest) { run(100ms); }
  std::uint32_t chosen() const override { return control_.one_in(); }

 private:
  void look(const LoadControl::Look& look) override { control_.look(look); }

  SampleControl control_;
};

TEST(SampleControl, NothingIsLeftOutWhereNothingIsLost) {
  SampledCourse course;
  course.busy = 1;
  course.fill = 0.7;
  course.run(300s);
  EXPECT_TRUE(course.changes.empty());
}

TEST(SampleControl, LossesThatWereThereBeforeAreNone) {
  SampledCourse course;
  course.run(10s);
  course.lost = 0;
  course.run(1s);
  EXPECT_TRUE(course.changes.empty());
}

// One step at a time, with time for it to help; no further than was allowed.
TEST(SampleControl, FallsWhileTroubleGoesOn) {
  for (const bool by_losses : {true, false}) {
    SampledCourse course(20);
    if (by_losses) course.losing = 5;
    else course.fill = 0.8;
    course.run(400ms);
    EXPECT_EQ(course.changes, (std::vector{2u})) << by_losses;
    course.run(1s);
    EXPECT_EQ(course.changes, (std::vector{2u})) << by_losses;
    course.run(1s);
    EXPECT_EQ(course.changes, (std::vector{2u, 4u})) << by_losses;
    course.run(30s);
    EXPECT_EQ(course.changes, (std::vector{2u, 4u, 8u, 16u, 20u})) << by_losses;
  }
}

// Losses are told once a second: what is told late of the time before is no reason for another step.
TEST(SampleControl, WhatIsToldLateIsNoNewTrouble) {
  SampledCourse course;
  course.fill = 0.9;
  course.run(100ms);
  course.run(900ms);
  course.fill = 0.1;
  course.lost += 1000;
  course.run(30s);
  EXPECT_EQ(course.changes, (std::vector{2u}));
}

TEST(SampleControl, AChangeThatHasNotSettledIsNotFollowedByAnother) {
  SampledCourse course;
  course.losing = 5;
  course.run(300ms);
  course.settled = false;
  course.run(20s);
  EXPECT_EQ(course.changes, (std::vector{2u}));
  course.settled = true;
  course.run(1400ms);
  EXPECT_EQ(course.changes, (std::vector{2u}));
  course.run(500ms);
  EXPECT_EQ(course.changes, (std::vector{2u, 4u}));
}

TEST(SampleControl, RisesAStepAfterAQuietTime) {
  SampledCourse course(20);
  course.losing = 5;
  course.run(30s);
  course.losing = 0;
  course.changes.clear();
  course.run(59s);
  EXPECT_TRUE(course.changes.empty());
  course.run(2s);
  EXPECT_EQ(course.changes, (std::vector{16u}));
  course.run(59s);
  EXPECT_EQ(course.changes, (std::vector{16u}));
  course.run(250s);
  EXPECT_EQ(course.changes, (std::vector{16u, 8u, 4u, 2u, 1u}));
  course.run(250s);
  EXPECT_EQ(course.chosen(), 1u);
}

TEST(SampleControl, RisesWhereTheThreadsHaveTimeToSpare) {
  SampledCourse course;
  course.losing = 5;
  course.run(300ms);
  course.losing = 0;
  course.busy = 0.9;
  course.run(300s);
  EXPECT_EQ(course.changes, (std::vector{2u}));
  course.busy = 0.3;
  course.run(130s);
  EXPECT_EQ(course.changes, (std::vector{2u, 1u}));
}

// As if 1/2 were just enough: each try waits twice as long as the one before, up to 16 minutes.
TEST(SampleControl, DoesNotFlap) {
  SampledCourse course;
  course.losing = 5;
  course.run(300ms);
  int rises = 0;
  for (int second = 0; second < 3600; ++second) {
    course.losing = course.chosen() == 1 ? 5 : 0;
    course.run(1s);
    rises += course.chosen() == 1;
  }
  EXPECT_GE(course.changes.size(), 9u);
  EXPECT_LE(course.changes.size(), 15u);  // 60 + 120 + 240 + 480 + 960 + 960 s
  // Once a rise holds, a minute is enough again.
  course.losing = 0;
  course.run(20min);
  ASSERT_EQ(course.chosen(), 1u);
  course.losing = 5;
  course.run(300ms);
  course.losing = 0;
  course.changes.clear();
  course.run(62s);
  EXPECT_EQ(course.changes, (std::vector{1u}));
}

// A ring of 100,000 packets whose thread has a second's work of time for each second. What is left out costs a third of
// what metering costs. As many packets come as would take it several times as long, to meter all.
class Overload {
 public:
  explicit Overload(double times_too_many) : offered_(times_too_many * kMetered / 10) {}

  void run(std::chrono::milliseconds time) {
    for (const auto end = now_ + time; now_ < end; now_ += 100ms) {
      const double sampled = 1.0 / control_.one_in();
      const double a_packet = (sampled + (1 - sampled) / 3) / kMetered;  // seconds
      waiting_ += offered_;
      const double read = std::min(waiting_, 0.1 / a_packet);
      waiting_ -= read;
      const double lost = std::max(waiting_ - kRing, 0.0);
      waiting_ -= lost;
      lost_ += lost;
      if (++looks_ % 10 == 0) told_ = lost_;  // once a second
      control_.look({now_, static_cast<std::uint64_t>(told_), waiting_ / kRing, 10 * read * a_packet, true});
    }
  }
  std::uint32_t one_in() const { return control_.one_in(); }
  double lost() const { return lost_; }

 private:
  static constexpr double kMetered = 1e6, kRing = 1e5;  // packets a second; packets
  const double offered_;                                // packets in a tenth of a second
  SampleControl control_{1024};
  SampleControl::Clock::time_point now_{1000s};
  double waiting_ = 0, lost_ = 0, told_ = 0;
  int looks_ = 0;
};

// It comes to a sample with which nothing is lost, and all but stays there: what attempts to take more cost is little.
TEST(SampleControl, ComesToWhatCanBeDone) {
  for (const auto& [times, rarest] :
       std::vector<std::pair<double, std::uint32_t>>{{0.9, 1}, {1.3, 2}, {2, 8}, {2.8, 64}}) {
    Overload overload(times);
    overload.run(20s);
    const double lost_first = overload.lost();
    EXPECT_GE(overload.one_in(), std::min(rarest, 2u)) << times;
    EXPECT_LE(overload.one_in(), rarest) << times;
    overload.run(55s);
    EXPECT_EQ(overload.lost(), lost_first) << times;
    overload.run(4h);
    const double offered = 14400 * times * 1e6;
    EXPECT_LT(overload.lost() - lost_first, 0.002 * offered) << times;
  }
}

}  // namespace
}  // namespace warpmeter
