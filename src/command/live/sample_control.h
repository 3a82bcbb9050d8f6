// Which sample of the flows a live capture meters, where it may become rarer when metering does not keep up: half as
// many flows, and twice as many when there is time for that again (load_control.h).
//
// Threads: one.
#pragma once

#include <chrono>
#include <cstdint>

#include "command/live/load_control.h"

namespace warpmeter::inline command {

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
