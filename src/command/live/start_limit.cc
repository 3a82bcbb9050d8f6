#include "command/live/start_limit.h"

#include <condition_variable>
#include <mutex>

namespace warpmeter::inline command {
namespace {

constexpr std::chrono::milliseconds kStartLookEvery{20};

}  // namespace

StartLimit::StartLimit(const std::atomic<bool>& stop, std::chrono::nanoseconds duration) {
  using Clock = std::chrono::steady_clock;
  thread_ = std::jthread([this, &stop, duration, begin = Clock::now()](const std::stop_token& end) {
    std::mutex mutex;
    std::condition_variable_any tick;
    std::unique_lock lock(mutex);
    while (!over_ && !tick.wait_for(lock, end, kStartLookEvery, [] { return false; }) && !end.stop_requested()) {
      over_ = stop || (duration.count() > 0 && Clock::now() - begin >= duration);
    }
  });
}

void StartLimit::end() {
  thread_.request_stop();
  thread_.join();
}

}  // namespace warpmeter::inline command
