// What a live capture does less of while metering does not keep up: it meters a rarer sample of the flows, or gives
// packets fewer rounds of a policy.
//
// Threads: one.
#pragma once

#include <chrono>
#include <cstdint>

#include "policy/rounds/compiled_policy.h"
#include "policy/rounds/rounds_options.h"

namespace warpmeter::inline command {

// When a live capture should do less with packets, since metering does not keep up, and when it may do more again: less
// when packets are lost or a ring is nearly full, more after a time in which neither was so and the threads had time to
// spare. If that brings the trouble back, the next such time is twice as long.
class LoadControl {
 public:
  using Clock = std::chrono::steady_clock;

  // What is in a ring when a change comes is still to be read, and losses are told once a second.
  static constexpr std::chrono::milliseconds kSettling{1500};
  static constexpr std::chrono::seconds kLongestQuiet{16 * 60};
  static constexpr double kNearlyFull = 0.75;  // the share of a ring

  // Before there is more: the quiet time, and the share of it that the threads may have worked at most.
  LoadControl(std::chrono::seconds quiet, double time_to_spare) : shortest_(quiet), time_to_spare_(time_to_spare) {}

  struct Look {
    Clock::time_point now;
    std::uint64_t lost = 0;  // packets so far, for want of time to meter them
    double fill = 0;         // of the fullest ring
    double busy = 0;         // the share of the time since the last look that the busiest thread worked
    bool settled = true;     // the last change
  };
  enum class Step { stay, less, more };

  // Some times a second. What it returns is to be done: is there anything less, anything more?
  Step look(const Look& look, bool has_less, bool has_more);

 private:
  bool is_in_trouble(const Look& look);
  void begin_anew(Clock::time_point now);

  const std::chrono::seconds shortest_;
  const double time_to_spare_;
  bool rose_ = false;            // the last change
  Clock::time_point changed_{};  // when that settled
  Clock::time_point quiet_{};    // since then
  std::chrono::seconds wait_ = shortest_;
  std::uint64_t lost_ = 0;
  double busy_ = 0;  // summed over so many looks
  std::uint64_t looks_ = 0;
};

// Of some time that has passed.
struct RoundsLoad {
  double ns = 0;  // that all threads had together
  RoundsBound::Work work;
  std::uint64_t arrived = 0;  // packets, those that were lost as well
  std::uint64_t read = 0;     // of these

  double share() const { return ns > 0 ? static_cast<double>(work.ns) / ns : 0; }  // of the time, for rounds
};

// Of packets that take any.
struct RoundsOfPolicy {
  std::uint32_t least = 1;    // a smaller bound would change nothing
  std::uint32_t longest = 0;  // path
};
RoundsOfPolicy rounds_of(const CompiledPolicy& policy);

// How many rounds each packet could have, of those that take any, if all that arrive were read; 1 at the least. kNone:
// nobody knows.
std::uint32_t rounds_that_fit(const RoundsLoad& load);

// How many rounds a live capture lets a packet have, where that follows what the machine has left (--rounds auto).
//
// When metering does not keep up (LoadControl), there are half as many, or fewer, if that is what fits:
//
//   N = rounds a second that the machine can do / packets a second that arrive and take any
//
// What the machine can do beside the rest is what its threads have left of their time, by the time that a round has
// taken so far. When there is time again, a quarter more, but one at the least. What every packet goes through
// stays, and the bound goes where it reaches the longest path of the policy.
//
// Source: "Mobius: packet re-processing for rich policy handling on a network processor", J. Netw. Syst. Manag. 2021,
// S(n); docs/policies.md.
class RoundsControl {
 public:
  static constexpr std::chrono::seconds kQuiet{10};
  static constexpr double kTimeToSpare = 0.9;  // of the time, what the threads would work with the rounds that come

  // Some times a second. `look.busy`: of all threads together. Returns how many rounds a packet has at most from
  // now on; kNone: no bound.
  std::uint32_t look(LoadControl::Look look, const RoundsLoad& load, const RoundsOfPolicy& of_policy);
  std::uint32_t most() const { return most_; }

 private:
  std::uint32_t most_ = RoundsBound::kNone;
  LoadControl control_{kQuiet, kTimeToSpare};
};

// Which sample of the flows a live capture meters, where it may become rarer when metering does not keep up: half as
// many flows, and twice as many when there is time for that again.
class SampleControl {
 public:
  using Clock = LoadControl::Clock;
  using Look = LoadControl::Look;

  static constexpr std::chrono::seconds kQuiet{60};
  static constexpr double kTimeToSpare = 0.6;  // of the time a thread may have worked, where twice as many flows come

  // At most so rare.
  explicit SampleControl(std::uint32_t rarest) : rarest_(rarest) {}

  // Some times a second. Returns which sample is to be metered from now on: one flow of so many.
  std::uint32_t look(const Look& look);
  std::uint32_t one_in() const { return one_in_; }

 private:
  const std::uint32_t rarest_;
  std::uint32_t one_in_ = 1;
  LoadControl control_{kQuiet, kTimeToSpare};
};

}  // namespace warpmeter::inline command
