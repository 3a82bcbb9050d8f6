// Not faster than so many records a second: collectors over UDP lose what comes faster than they take it from their
// socket's buffer. Messages go evenly, for that buffer holds some hundred only.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>

namespace warpmeter {

class Pace {
 public:
  explicit Pace(std::uint64_t records_per_second) : per_second_(static_cast<double>(records_per_second)) {}

  // Waits until `records` more may go. False: `abandoned`, which may be empty, said that they need not, perhaps
  // meanwhile.
  bool wait_for(std::uint64_t records, const std::function<bool()>& abandoned = {}) {
    if (abandoned && abandoned()) return false;
    if (per_second_ == 0) return true;
    Clock::time_point now = Clock::now();
    if (now - next_ > kCatchUp) next_ = now - kCatchUp;
    for (; next_ > now; now = Clock::now()) {
      if (abandoned && abandoned()) return false;
      std::this_thread::sleep_until(abandoned ? std::min(next_, now + kLook) : next_);
    }
    next_ += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(static_cast<double>(records) / per_second_));
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kCatchUp = std::chrono::milliseconds(2);  // what sleeping too long may win back
  static constexpr Clock::duration kLook = std::chrono::milliseconds(50);    // at whether it need not go on
  const double per_second_;
  Clock::time_point next_;
};

}  // namespace warpmeter
