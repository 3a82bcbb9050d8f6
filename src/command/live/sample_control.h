// Which sample of the flows a live capture meters, where it may become rarer when metering does not keep up: half as
// many flows when packets are lost or a ring is nearly full, twice as many after a time in which neither was so and the
// threads had time to spare. If such a rise brings the trouble back, the next one waits twice as long.
//
// Threads: one.
#pragma once

#include <chrono>
#include <cstdint>

namespace warpmeter::inline command {

class SampleControl {
 public:
  using Clock = std::chrono::steady_clock;

  // What is in a ring when a change comes is still to be read, and losses are told once a second.
  static constexpr std::chrono::milliseconds kSettling{1500};
  static constexpr std::chrono::seconds kQuiet{60}, kLongestQuiet{16 * 60};
  static constexpr double kNearlyFull = 0.75;  // the share of a ring
  static constexpr double kTimeToSpare = 0.6;  // of the time a thread may have worked, where twice as many flows come

  // At most so rare.
  explicit SampleControl(std::uint32_t rarest) : rarest_(rarest) {}

  struct Look {
    Clock::time_point now;
    std::uint64_t lost = 0;  // packets so far, for want of time to meter them
    double fill = 0;         // of the fullest ring
    double busy = 0;         // the share of the time since the last look that the busiest thread worked
    bool settled = true;     // the last change
  };

  // Some times a second. Returns which sample is to be metered from now on: one flow of so many.
  std::uint32_t look(const Look& look);
  std::uint32_t one_in() const { return one_in_; }

 private:
  bool is_in_trouble(const Look& look);
  void begin_anew(Clock::time_point now);
  void change(std::uint32_t one_in, Clock::time_point now);

  const std::uint32_t rarest_;
  std::uint32_t one_in_ = 1;
  bool rose_ = false;            // the last change
  Clock::time_point changed_{};  // when that settled
  Clock::time_point quiet_{};    // since then
  std::chrono::seconds wait_ = kQuiet;
  std::uint64_t lost_ = 0;
  double busy_ = 0;  // summed over so many looks
  std::uint64_t looks_ = 0;
};

}  // namespace warpmeter::inline command
