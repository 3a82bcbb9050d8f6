// An outlet: where a job gives what is no Flow Record.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <chrono>

namespace warpmeter {

class JobOutlet {
 public:
  virtual ~JobOutlet() = default;

  // Whether it has something to give, or gives no more; waits for it at most so long.
  virtual bool ready(std::chrono::milliseconds at_most) = 0;
  // Whether it gives no more.
  virtual bool is_taken() const = 0;
  // What the job has for it is not wanted any more, and whoever waits meets its end.
  virtual void give_up() noexcept = 0;
};

// A clock has no room for more, as for the longest time of all; who waits so long waits for ever.
inline std::chrono::milliseconds bounded(std::chrono::milliseconds at_most) {
  constexpr std::chrono::milliseconds kNoTime{0}, kForEver = std::chrono::hours(24 * 365 * 100);
  return std::clamp(at_most, kNoTime, kForEver);
}

}  // namespace warpmeter
