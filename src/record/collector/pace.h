// Not faster than so many records a second: collectors over UDP lose what comes faster than they take it from their
// socket's buffer. Messages go evenly, for that buffer holds some hundred only.
//
// Who is interrupted has ten seconds more for what is left: at a low pace that may take hours.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <thread>
#include <utility>

namespace warpmeter::inline record {

class Pace {
 public:
  // `interrupted`: it is to come to an end; `gives_up`: at once. Either may be empty.
  explicit Pace(std::uint64_t records_per_second, std::function<bool()> interrupted = {},
                const std::atomic<bool>* gives_up = nullptr)
      : per_second_(static_cast<double>(records_per_second)),
        interrupted_(std::move(interrupted)),
        gives_up_(gives_up) {}

  // Waits until `records` more may go. False: they may not, for that would take too long, and so it stays.
  bool wait_for(std::uint64_t records) {
    if (per_second_ == 0) return true;
    const Clock::time_point now = Clock::now();
    if (over_ || (next_ > now && !wait_until_next())) return false;
    if (next_ <= now && now - next_ > kCatchUp) next_ = now - kCatchUp;
    next_ += std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(static_cast<double>(records) / per_second_));
    return true;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kCatchUp = std::chrono::milliseconds(2);  // what sleeping too long may win back
  static constexpr Clock::duration kLook = std::chrono::milliseconds(50);
  static constexpr Clock::duration kInterruptedPatience = std::chrono::seconds(10);  // a million at the usual pace

  bool wait_until_next() {
    for (;;) {
      const Clock::time_point now = Clock::now();
      if (!end_ && interrupted_ && interrupted_()) end_ = now + kInterruptedPatience;
      over_ = (end_ && std::max(next_, now) > *end_) || (gives_up_ && *gives_up_);
      if (over_) return false;
      if (next_ <= now) return true;
      std::this_thread::sleep_until(std::min(next_, now + kLook));
    }
  }

  const double per_second_;
  const std::function<bool()> interrupted_;
  const std::atomic<bool>* const gives_up_;
  Clock::time_point next_;
  std::optional<Clock::time_point> end_;  // once it is interrupted
  bool over_ = false;
};

}  // namespace warpmeter::inline record
