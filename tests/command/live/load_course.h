// A live capture of which a test says how it does: it is looked at ten times a second, as live does. Time is passed in.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "command/live/load_control.h"

namespace warpmeter::test {

class LoadCourse {
 public:
  virtual ~LoadCourse() = default;

  void run(std::chrono::milliseconds time) {
    constexpr std::chrono::milliseconds kLook{100};
    for (const auto end = now_ + time; now_ < end; now_ += kLook) {
      const std::uint32_t before = chosen();
      look({now_, lost, fill, busy, settled});
      lost += losing;
      if (chosen() != before) changes.push_back(chosen());
    }
  }
  virtual std::uint32_t chosen() const = 0;

  std::uint64_t lost = 0, losing = 0;  // the second: in each tenth of a second
  double fill = 0.1, busy = 0.3;
  bool settled = true;
  std::vector<std::uint32_t> changes;

 private:
  virtual void look(const LoadControl::Look& look) = 0;

  LoadControl::Clock::time_point now_{std::chrono::seconds(1000)};
};

}  // namespace warpmeter::test
