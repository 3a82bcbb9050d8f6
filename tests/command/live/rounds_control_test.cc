// How many rounds packets may have as losses and full rings come and go: time, and what rounds take, is passed in.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "command/live/live_rounds.h"
#include "command/live/load_control.h"
#include "command/live/load_course.h"
#include "policy/memory/policy_memory.h"

namespace warpmeter {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kNone = RoundsBound::kNone;

// Two threads for a second: 1,000 packets were read, of which 200 took rounds, 1,400 rounds in 40 % of the time.
RoundsLoad usual_load() {
  return {.ns = 2e9, .work = {.rounds = 1400, .packets = 200, .ns = 800'000'000}, .arrived = 1000, .read = 1000};
}

TEST(RoundsThatFit, AreWhatThePaperSaysOfTheTimeThatIsLeft) {
  RoundsLoad load = usual_load();
  load.work.rounds = 1500;
  EXPECT_EQ(rounds_that_fit(load), 7u) << "as many as there were, where nothing is lost";
  load = usual_load();
  load.arrived = 1250;  // the rest takes 1.5 s then, which leaves 0.5 s, 875 rounds, for 250 packets
  EXPECT_EQ(rounds_that_fit(load), 3u);
  load.arrived = 2000;
  EXPECT_EQ(rounds_that_fit(load), 1u) << "never none";
}

TEST(RoundsThatFit, AreNotKnownBeforeThereWereRounds) {
  EXPECT_EQ(rounds_that_fit({}), kNone);
  RoundsLoad load = usual_load();
  load.work = {};
  EXPECT_EQ(rounds_that_fit(load), kNone);
  EXPECT_LT(rounds_that_fit({.ns = 1e9, .work = {1'000'000'000'000, 1, 1000}, .arrived = 1, .read = 1}), kNone);
}

class BoundedCourse : public test::LoadCourse {
 public:
  BoundedCourse() { busy = 0.5; }
  std::uint32_t chosen() const override { return control_.most(); }

  RoundsLoad load = usual_load();
  std::uint32_t least = 1, longest = 8;

 private:
  void look(const LoadControl::Look& look) override { control_.look(look, load, {least, longest}); }

  RoundsControl control_;
};

TEST(RoundsControl, ThereIsNoBoundWhereNothingIsLost) {
  BoundedCourse course;
  course.busy = 1;
  course.fill = 0.7;
  course.run(100s);
  EXPECT_TRUE(course.changes.empty());
}

TEST(RoundsControl, FallsByHalfWhileTroubleGoesOnAndNoFurtherThanOneRound) {
  BoundedCourse course;
  course.fill = 0.8;
  course.run(200ms);
  EXPECT_EQ(course.changes, (std::vector{4u})) << "at once";
  course.run(20s);
  EXPECT_EQ(course.changes, (std::vector{4u, 2u, 1u}));
}

TEST(RoundsControl, FallsNoFurtherThanItChangesAnything) {
  BoundedCourse course;
  course.least = 3;
  course.fill = 0.8;
  course.run(20s);
  EXPECT_EQ(course.changes, (std::vector{4u, 3u}));
}

TEST(RoundsControl, FallsToWhatFits) {
  BoundedCourse course;
  course.longest = 16;
  course.load.arrived = 1250;
  course.losing = 5;
  course.run(300ms);
  EXPECT_EQ(course.changes, (std::vector{3u}));
}

TEST(RoundsControl, RisesSlowlyUntilThereIsNoBound) {
  BoundedCourse course;
  course.longest = 12;
  course.fill = 0.8;
  course.run(20s);
  course.fill = 0.1;
  course.changes.clear();
  course.run(9s);
  EXPECT_TRUE(course.changes.empty());
  course.load.work.ns = 100'000'000;
  course.run(200s);
  EXPECT_EQ(course.changes, (std::vector{2u, 3u, 4u, 5u, 6u, 7u, 8u, 10u, kNone}));
}

// With one round 80 % of the time is taken, half of that by rounds: one more would take 120 %.
TEST(RoundsControl, RisesWhereThereIsTimeForIt) {
  BoundedCourse course;
  course.fill = 0.8;
  course.run(20s);
  course.fill = 0.1;
  course.changes.clear();
  course.busy = 0.8;
  course.run(100s);
  EXPECT_TRUE(course.changes.empty());
  course.busy = 0.3;
  course.run(25s);
  ASSERT_FALSE(course.changes.empty());
  EXPECT_EQ(course.changes.front(), 2u);
}

TEST(RoundsControl, APolicyOfOneRoundHasNoBound) {
  for (const std::uint32_t longest : {0u, 1u}) {
    BoundedCourse course;
    course.longest = longest;
    course.fill = 0.9;
    course.run(20s);
    EXPECT_TRUE(course.changes.empty()) << longest;
  }
}

// Two threads, a ring of 100,000 packets. Of all packets, each fourth takes as many of eight rounds as it may.
class PolicyOverload {
 public:
  void run(std::chrono::milliseconds time, double offered) {
    for (const auto end = now_ + time; now_ < end; now_ += 100ms) {
      const double rounds = std::min(control_.most(), kLongest) / 4.0, a_packet = kRest + rounds * kRound;
      waiting_ += offered / 10;
      const double read = std::min(waiting_, 2e8 / a_packet);
      waiting_ -= read;
      const double lost = std::max(waiting_ - kRing, 0.0);
      waiting_ -= lost;
      lost_ += lost;
      const auto count = [](double n) { return static_cast<std::uint64_t>(n); };
      const RoundsBound::Work work{count(read * rounds), count(read / 4),
                                   static_cast<std::int64_t>(read * rounds * kRound)};
      control_.look({now_, count(lost_), waiting_ / kRing, read * a_packet / 2e8},
                    {2e8, work, count(read + lost), count(read)}, {1, kLongest});
      truncated_ += control_.most() < kLongest ? read / 4 : 0;
    }
  }
  std::uint32_t most() const { return control_.most(); }
  double lost() const { return lost_; }
  double truncated() const { return truncated_; }

 private:
  static constexpr double kRest = 500, kRound = 500, kRing = 1e5;  // ns; packets
  static constexpr std::uint32_t kLongest = 8;
  RoundsControl control_;
  LoadControl::Clock::time_point now_{1000s};
  double waiting_ = 0, lost_ = 0, truncated_ = 0;
};

// Of 1.33 M packets a second all have their rounds, of 2 M two fit.
TEST(RoundsControl, ComesToWhatCanBeDoneAndBack) {
  PolicyOverload overload;
  overload.run(60s, 1.2e6);
  EXPECT_EQ(overload.truncated(), 0);
  overload.run(10s, 2e6);
  const double lost_first = overload.lost();
  EXPECT_LE(overload.most(), 4u);
  EXPECT_LT(lost_first, 1e6);
  overload.run(1h, 2e6);
  EXPECT_LT(overload.lost() - lost_first, 0.001 * 3600 * 2e6);
  EXPECT_GE(overload.most(), 2u);
  overload.run(1h, 0.5e6);
  EXPECT_EQ(overload.most(), kNone);
}

std::shared_ptr<const RunningPolicy> chain_of(int groups, bool fuse = false) {
  std::string text = "max_rounds = 100\n[init]\ndefault = 1\n";
  for (int i = 1; i <= groups; ++i) {
    const std::string next = i == groups ? "'OUT'" : std::to_string(i + 1);
    text += "[[group]]\nid = " + std::to_string(i) + "\nmatch = " + next + "\nmismatch = " + next +
            "\nrule = [{ label = 'x' }]\n";
  }
  return std::make_shared<RunningPolicy>(PolicyMemory::load(text), fuse);
}

TEST(RoundsOfPolicy, AreThoseThatABoundMayKeepPacketsFrom) {
  const auto of = [](const std::shared_ptr<const RunningPolicy>& policy) {
    const RoundsOfPolicy rounds = rounds_of(*policy->current());
    return std::pair(rounds.least, rounds.longest);
  };
  EXPECT_EQ(of(chain_of(10)), std::pair(1u, 10u));
  EXPECT_EQ(of(chain_of(10, true)), std::pair(10u, 10u));
  EXPECT_EQ(of(std::make_shared<RunningPolicy>(PolicyMemory::load(""), true)), std::pair(1u, 0u));
}

TEST(LiveRounds, TellTheirBoundAndKeepIt) {
  const auto bound = std::make_shared<RoundsBound>();
  LiveRounds rounds(bound, chain_of(10), 2);
  std::vector<RingCounts> rings(2);
  rings[1].fill = 0.5;
  rounds.look(rings);
  EXPECT_EQ(rounds.most(), 0u);
  rings[1].too_long = 100;  // nothing that fewer rounds help against
  rounds.look(rings);
  EXPECT_EQ(rounds.most(), 0u);
  rings[0].ring_full = 100;
  testing::internal::CaptureStderr();
  rounds.look(rings);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warpmeter: metering does not keep up: packets have at most 5 rounds from now on (--rounds auto)\n");
  EXPECT_EQ(rounds.most(), 5u);
  EXPECT_EQ(bound->most(), 5u);
  const std::vector<RoundsChange> changes = rounds.changes();
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].most, 5u);
}

}  // namespace
}  // namespace warpmeter
