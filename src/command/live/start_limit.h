// How long what comes before a capture may take: the reader of a pipe, or the host of a collector, is waited for until
// the capture is told to stop or its --duration has passed.
//
// Threads: over() by any; the rest by the one that made it.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace warpmeter::inline command {

class StartLimit {
 public:
  // `stop` must outlive it. `duration`: 0 = until `stop`.
  StartLimit(const std::atomic<bool>& stop, std::chrono::nanoseconds duration);

  // Nobody is to be waited for any more.
  const std::atomic<bool>& over() const { return over_; }

  // All that was waited for is there: over() stays as it is.
  void end();

 private:
  std::atomic<bool> over_ = false;
  std::jthread thread_;
};

}  // namespace warpmeter::inline command
