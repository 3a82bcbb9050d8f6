// Whether a collector goes on taking what is sent: at least kLeastBytesPerSecond over its patience, or all that there
// was to take. A byte now and then is no progress.
//
// Counts bytes of one connection. Threads: one.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace warpmeter::inline record {

class CollectorProgress {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::uint64_t kLeastBytesPerSecond = 4096;

  explicit CollectorProgress(std::chrono::milliseconds patience)
      : least_(std::max<std::uint64_t>(1, static_cast<std::uint64_t>(patience.count()) * kLeastBytesPerSecond / 1000)) {
  }

  // The last time that there was some, or nothing to wait for.
  Clock::time_point since() const { return since_; }
  void reset() { since_ = Clock::now(); }

  // On a new connection whose first bytes are no progress: what is beyond them is.
  void aim_beyond(std::uint64_t bytes) { goal_ = bytes + 1; }

  // So many bytes were taken, of `handed` that were there to take.
  void saw(std::uint64_t taken, std::uint64_t handed) {
    if (taken < goal_) return;
    goal_ = std::min(taken + least_, handed);
    since_ = Clock::now();
  }

 private:
  std::uint64_t least_;
  std::uint64_t goal_ = 0;
  Clock::time_point since_ = Clock::now();
};

}  // namespace warpmeter::inline record
