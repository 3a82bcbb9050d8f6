// When a live capture should do less with packets, since metering does not keep up, and when it may do more again: less
// when packets are lost or a ring is nearly full, more after a time in which neither was so and the threads had time to
// spare. If that brings the trouble back, the next such time is twice as long.
//
// Threads: one.
#pragma once

#include <chrono>
#include <cstdint>

namespace warpmeter::inline command {

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

}  // namespace warpmeter::inline command
