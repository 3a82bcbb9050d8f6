// How long what comes before a capture may take: the reader of a pipe, or the host of a collector, is waited for until
// the capture is told to stop or its --duration has passed.
//
// Threads: over() by any; the rest by the one that made it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace warpmeter::inline command {

class StartLimit {
 public:
  // `stop` must outlive it. `duration`: 0 = until `stop`.
  StartLimit(const std::atomic<bool>& stop, std::chrono::nanoseconds duration) {
    using Clock = std::chrono::steady_clock;
    thread_ = std::jthread([this, &stop, duration, begin = Clock::now()](const std::stop_token& end) {
      std::mutex mutex;
      std::condition_variable_any tick;
      std::unique_lock lock(mutex);
      while (!over_ && !tick.wait_for(lock, end, kLookEvery, [] { return false; }) && !end.stop_requested()) {
        over_ = stop || (duration.count() > 0 && Clock::now() - begin >= duration);
      }
    });
  }

  // Nobody is to be waited for any more.
  const std::atomic<bool>& over() const { return over_; }

  // All that was waited for is there: over() stays as it is.
  void end() {
    thread_.request_stop();
    thread_.join();
  }

 private:
  static constexpr std::chrono::milliseconds kLookEvery{20};

  std::atomic<bool> over_ = false;
  std::jthread thread_;
};

}  // namespace warpmeter::inline command
