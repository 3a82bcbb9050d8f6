// Not faster than so many records a second: collectors over UDP lose what comes faster than they take it from their
// socket's buffer. Messages go evenly, for that buffer holds some hundred only.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

namespace warpmeter {

class Pace {
 public:
  explicit Pace(std::uint64_t records_per_second) : per_second_(static_cast<double>(records_per_second)) {}

  // Waits until `records` more may go.
  void wait_for(std::uint64_t records) {
    if (per_second_ == 0) return;
    const Clock::time_point now = Clock::now();
    if (next_ > now) std::this_thread::sleep_until(next_);
    else if (now - next_ > kCatchUp) next_ = now - kCatchUp;
    next_ += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(static_cast<double>(records) / per_second_));
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kCatchUp = std::chrono::milliseconds(2);  // what sleeping too long may win back
  const double per_second_;
  Clock::time_point next_;
};

}  // namespace warpmeter
